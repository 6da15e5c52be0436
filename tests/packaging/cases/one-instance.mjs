import { createRequire } from "node:module";
import { TaskError } from "blockedby";

const require = createRequire(import.meta.url);
console.log(require("blockedby").TaskError === TaskError);
