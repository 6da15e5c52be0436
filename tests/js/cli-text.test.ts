// How the command line measures, cuts, neutralises and colours text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestOf, readIds } from "../../js/cli/arguments.js";
import { painter } from "../../js/cli/style.js";
import { plain, plainLines, toJson } from "../../js/cli/text.js";
import { displayWidth, fit } from "../../js/cli/width.js";

test("display width", () => {
  const widths: Record<string, number> = {
    "": 0,
    abc: 3,
    "日本": 4,
    "한글": 4,
    "\u1112\u1161\u11ab": 2,
    "ＡＢ": 4,
    "ｶﾅ": 2,
    "e\u0301": 1,
    "नमस्ते": 4,
    "👍": 2,
    "👍🏽": 2,
    "👩‍👩‍👧": 2,
    "❤️‍🔥": 2,
    "❤️": 2,
    "❤": 1,
    "1️⃣": 2,
    "🇩🇪": 2,
    "🇩": 1,
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}": 2,
    "𠮷": 2,
    "→…·": 3,
    "a\u200bb": 2,
  };
  for (const [text, width] of Object.entries(widths)) assert.equal(displayWidth(text), width, JSON.stringify(text));
});

test("fitting cuts between characters, never more columns than there are", () => {
  const family = "👩‍👩‍👧";
  const cases: [string, number, string][] = [
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    [family + family, 4, family + family],
    [family + family, 3, `${family}…`],
    [family, 1, "…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ];
  for (const [text, columns, fitted] of cases) {
    assert.equal(fit(text, columns), fitted);
    assert.ok(displayWidth(fitted) <= columns);
  }
});

test("what a terminal would obey is made visible", () => {
  assert.equal(plain("\u0000\u0007\n\r\t\u001b\u007f\u0085\u009b"), "\\x00\\x07\\n\\r\\t\\x1b\\x7f\\x85\\x9b");
  assert.equal(plain("\u2028\u202e\u2066\u200f\ud800"), "\\u2028\\u202e\\u2066\\u200f\\ud800");
  assert.equal(plain("𠮷 👩‍👩‍👧 می‌خواهم"), "𠮷 👩‍👩‍👧 می‌خواهم", "joiners that words and pictures need stay");
  assert.deepEqual(plainLines("a\tb\r\nc\u001b\rd"), ["a    b", "c\\x1b", "d"]);
  const value = { text: "\u007f\u009b\u2028\u202e\u001b" };
  assert.equal(toJson(value), '{"text":"\\u007f\\u009b\\u2028\\u202e\\u001b"}');
  assert.deepEqual(JSON.parse(toJson(value)), value);
});

test("colour only where a person sees it", () => {
  assert.equal(painter({ isTTY: true }, {})("green", "x"), "\u001b[32mx\u001b[0m");
  const plainly = [painter({}, {}), painter({ isTTY: true }, { NO_COLOR: "1" }), painter({ isTTY: true }, { TERM: "dumb" })];
  for (const paint of plainly) assert.equal(paint("green", "x"), "x");
});

test("the nearest name, and lists of ids", () => {
  assert.equal(nearestOf("--blockd-by", ["--id", "--blocked-by"]), "--blocked-by");
  assert.equal(nearestOf("xyz", ["add", "list"]), undefined);
  assert.equal(nearestOf("x".repeat(100_000), ["add"]), undefined);
  assert.deepEqual(readIds(" a, ,b\\,c,"), ["a", "b,c"]);
});
