// The command `blockedby`: every command in both forms, over a file.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { idsOf, Terminal } from "./cli-support.js";

/** db <- seed <- api, and docs on its own. */
function withPlan(): Terminal {
  const terminal = new Terminal();
  terminal.says("add", "Provision the dev DB", "--id", "db");
  terminal.says("add", "Seed fixtures", "--id", "seed", "--blocked-by", "db", "--description", "All of them.\nTwice.");
  terminal.says("add", "Write the API", "--id", "api", "--blocked-by", "db, seed");
  terminal.says("add", "Write the docs", "--id", "docs");
  return terminal;
}

test("add: the file appears in the working folder, private, and the answer is the change", () => {
  const terminal = new Terminal();
  const { change } = terminal.json("add", "First", "--actor", "user:ann");
  assert.match(change.task?.id ?? "", /^t_\d+_[a-z0-9]{8}$/);
  assert.deepEqual(
    [change.action, change.changed, change.task?.title, change.task?.readiness, change.task?.createdBy],
    ["add", true, "First", "ready", "user:ann"],
  );
  assert.deepEqual(idsOf(change.nowReady), [change.task?.id]);
  assert.deepEqual(readdirSync(terminal.folder), [".tasks.json"]);
  assert.equal(terminal.says("add", "Second", "--id", "b", "--blocked-by", change.task?.id ?? ""), "added  b  Second  (blocked)");
});

test("list, ready, blocked", () => {
  const terminal = withPlan();
  assert.equal(
    terminal.says("list"),
    [
      "ID    STATE    TITLE                 WAITS FOR",
      "db    ready    Provision the dev DB",
      "seed  blocked  Seed fixtures         db",
      "api   blocked  Write the API         db, seed",
      "docs  ready    Write the docs",
    ].join("\n"),
  );
  assert.equal(
    terminal.says("ready"),
    ["ID    STATE  TITLE", "db    ready  Provision the dev DB", "docs  ready  Write the docs"].join("\n"),
  );
  assert.equal(
    terminal.says("blocked"),
    ["ID    STATE    TITLE          WAITS FOR", "seed  blocked  Seed fixtures  db", "api   blocked  Write the API  db, seed"].join("\n"),
  );
  const all = terminal.json("list");
  assert.deepEqual([idsOf(all.tasks), all.total], [["db", "seed", "api", "docs"], 4]);
  assert.deepEqual(terminal.json("ready").tasks.map(({ id, readiness }) => [id, readiness]), [["db", "ready"], ["docs", "ready"]]);
  assert.deepEqual(idsOf(terminal.json("blocked").tasks), ["seed", "api"]);

  terminal.says("complete", "db");
  terminal.says("remove", "docs");
  assert.deepEqual(idsOf(terminal.json("list").tasks), ["db", "seed", "api"], "deleted rows only when asked for");
  assert.deepEqual(idsOf(terminal.json("list", "--status", "deleted,completed").tasks), ["db", "docs"]);
  assert.match(terminal.says("list"), /^api {3}blocked {4}Write the API {9}seed$/m, "settled blockers are not waited for");
  assert.equal(new Terminal().says("list"), "no tasks");
  assert.deepEqual(new Terminal().json("ready"), { tasks: [], total: 0 });
});

test("complete and remove tell what became ready", () => {
  const terminal = withPlan();
  const done = terminal.json("complete", "db").change;
  assert.deepEqual([done.changed, done.task?.status, idsOf(done.nowReady)], [true, "completed", ["seed"]]);
  assert.equal(
    terminal.says("remove", "seed"),
    ["removed    seed  Seed fixtures", "now ready  api   Write the API"].join("\n"),
  );
  const again = terminal.json("complete", "db").change;
  assert.deepEqual([again.changed, again.revision], [false, 6], "D9");
  assert.equal(terminal.says("complete", "db"), "nothing changed  db  Provision the dev DB  (completed)");
});

test("completing a blocked task warns on standard error, and in JSON within the change (D11)", () => {
  const terminal = withPlan();
  const { code, out, err } = terminal.run(["complete", "seed"]);
  assert.deepEqual([code, out], [0, "completed  seed  Seed fixtures\n"]);
  assert.match(err, /^warning: .*`db`.*\n$/);
  const { change } = terminal.json("complete", "api");
  assert.deepEqual([change.warning?.code, change.warning?.by], ["blocked", ["db"]]);
});

test("update: title, status, blockers, description", () => {
  const terminal = withPlan();
  const { task, nowReady } = terminal.json("update", "api", "--title", "Write it", "--blocked-by", "", "--description", "d").change;
  assert.deepEqual([task?.title, task?.blockedBy, task?.description], ["Write it", [], "d"]);
  assert.deepEqual(idsOf(nowReady), ["api"]);
  assert.equal(terminal.says("update", "api", "--status", "in_progress"), "updated  api  Write it  (running)");
  assert.equal(terminal.says("update", "api", "--blocked-by", "docs"), "updated  api  Write it  (running)");
  assert.match(terminal.says("list"), /^api {3}running {2}Write it {14}docs$/m);
  assert.equal(terminal.json("update", "api", "--description", "").change.task?.description, undefined);
  assert.equal(terminal.json("update", "api", "--status", "deleted").change.task?.status, "deleted");
});

test("get and explain", () => {
  const terminal = withPlan();
  assert.equal(terminal.json("get", "seed").task.description, "All of them.\nTwice.");
  const shown = terminal.says("get", "seed").split("\n");
  assert.deepEqual(shown.slice(0, 3), ["id       seed", "title    Seed fixtures", "state    blocked"]);
  assert.match(shown[3] ?? "", /^created  \d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(shown.slice(5), [
    "",
    "waits for  db   Provision the dev DB  (pending)",
    "blocks     api  Write the API         (pending)",
    "",
    "All of them.",
    "Twice.",
  ]);
  const { explanation } = terminal.json("explain", "api");
  assert.deepEqual(explanation.blockers.map(({ id }) => id), ["db", "seed"]);
  assert.equal(
    terminal.says("explain", "api"),
    [explanation.sentence, "waits for  db    Provision the dev DB  (ready)", "           seed  Seed fixtures         (blocked)"].join("\n"),
  );
  assert.match(terminal.says("explain", "db"), /\nbehind it {2}2 tasks wait$/);
  terminal.says("update", "api", "--blocked-by", "seed");
  assert.match(terminal.says("explain", "api"), /\nchain {2}api <- seed <- db$/);
});

test("undo and redo", () => {
  const terminal = withPlan();
  terminal.says("complete", "db");
  assert.equal(
    terminal.says("undo"),
    ["undone", "now ready    db    Provision the dev DB", "now blocked  seed  Seed fixtures"].join("\n"),
  );
  const { change } = terminal.json("redo");
  assert.deepEqual([change.action, change.changed, idsOf(change.nowReady)], ["redo", true, ["seed"]]);
  assert.equal(terminal.says("redo"), "nothing to redo");
  assert.equal(new Terminal().json("undo").change.changed, false);
});

test("an id or title that begins with a dash goes behind --, a value behind =", () => {
  const terminal = new Terminal();
  terminal.says("add", "--id=-1", "--", "--json");
  assert.equal(terminal.json("get", "--", "-1").task.title, "--json");
  assert.equal(terminal.says("complete", "--", "-1"), "completed  -1  --json");
  terminal.says("add", "after a comma", "--id", "a,b");
  assert.deepEqual(terminal.json("add", "c", "--blocked-by", "a\\,b,-1").change.task?.blockedBy, ["a,b", "-1"]);
});

test("where the list is: --file, --session with its folder, KIN_SESSION_DIR (D24)", () => {
  const terminal = new Terminal();
  const here = join(terminal.folder, "sub");
  terminal.says("add", "A", "--id", "a", "--file", "plan.json");
  assert.deepEqual(readdirSync(terminal.folder), ["plan.json"]);
  assert.equal(terminal.fails(1, "list", "--session", "s1", "--session-dir", here).code, "storage_unavailable");
  terminal.says("add", "B", "--session", "s1", "--session-dir", terminal.folder);
  assert.ok(existsSync(join(terminal.folder, "s1.tasks.json")));
  const elsewhere = new Terminal();
  const { code, out } = elsewhere.run(["list", "--session", "s1", "--json"], { env: { KIN_SESSION_DIR: terminal.folder } });
  assert.deepEqual([code, (JSON.parse(out) as { total: number }).total], [0, 1]);
  assert.deepEqual(readdirSync(elsewhere.folder), []);
  assert.equal(terminal.fails(1, "list", "--session", "../s1").code, "invalid_value");
});

test("help and version", () => {
  const terminal = new Terminal();
  const { version } = JSON.parse(readFileSync("pkg/package.json", "utf8")) as { version: string };
  assert.equal(terminal.says("--version"), version);
  const help = terminal.says("--help");
  for (const name of ["add", "update", "complete", "remove", "list", "get", "ready", "blocked", "explain", "undo", "redo"]) {
    assert.match(help, new RegExp(`^ {2}${name}\\b`, "m"));
    assert.match(terminal.says(name, "--help"), new RegExp(`^blockedby ${name}\\b`));
  }
  assert.equal(terminal.says("help"), help);
  assert.equal(terminal.says("-h"), help);
  assert.equal(terminal.says("help", "add"), terminal.says("add", "--help"));
  assert.deepEqual(readdirSync(terminal.folder), [], "nothing was opened");
});
