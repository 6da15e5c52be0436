/** `blockedby/files`: the reader comes with the first import or export. */
import { registerReader } from "../files/reader.js";

registerReader(async () => (await import("./files-inline.js")).compile());

export * from "../files/index.js";
