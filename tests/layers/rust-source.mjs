// Just enough understanding of Rust text to see which modules a file names.

/**
 * Comments and string contents name modules without using them. Tests at the end of a file may use
 * what the code itself may not.
 *
 * @param {string} source
 */
export function withoutCommentsAndText(source) {
  const bare = source
    .replace(/r(#*)"[\s\S]*?"\1/g, '""')
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^\\'\n])'|"(?:\\[\s\S]|[^"\\])*"/g, (text) =>
      text.startsWith("/") ? " " : '""');
  return bare.replace(/#\[cfg\(test\)\]\s*mod\s+\w+\s*\{[\s\S]*$/, "");
}

/**
 * The names at the front of `use a::{b, c::{d, e}}`: for the text after the brace, `b` and `c`.
 *
 * @param {string} text
 */
function groupHeads(text) {
  const heads = [];
  let depth = 0;
  let head = "";
  for (const character of text) {
    if (character === "{") depth += 1;
    else if (character === "}" && depth === 0) break;
    else if (character === "}") depth -= 1;
    else if (character === "," && depth === 0) {
      heads.push(head);
      head = "";
    } else if (depth === 0) head += character;
  }
  return [...heads, head].map((part) => part.trim().match(/^\w+/)?.[0] ?? "").filter(Boolean);
}

/**
 * The modules at the root of the crate that a file names, by `crate::` or by enough `super::`.
 *
 * @param {string} source
 * @param {string} file path below src/
 * @returns {Set<string>}
 */
export function topLevelNames(source, file) {
  const names = new Set();
  const parts = file.replace(/(\/mod)?\.rs$/, "").split("/");
  const toRoot = `(?:\\bcrate\\s*::|(?:\\bsuper\\s*::\\s*){${parts.length}})\\s*`;
  for (const match of source.matchAll(new RegExp(`${toRoot}(\\w+|\\{)`, "g"))) {
    if (match[1] === "{") {
      for (const head of groupHeads(source.slice(match.index + match[0].length))) names.add(head);
    } else {
      names.add(match[1]);
    }
  }
  return names;
}

/**
 * Which of the given paths (`crate_name` or `std::part`) a source names.
 *
 * @param {string} source
 * @param {readonly string[]} paths
 */
export function foreignNames(source, paths) {
  return paths.filter((name) => {
    const [first, second] = name.split("::");
    if (second === undefined) return new RegExp(`\\b${first}\\b`).test(source);
    const grouped = [...source.matchAll(new RegExp(`\\b${first}\\s*::\\s*\\{`, "g"))].some((match) =>
      groupHeads(source.slice(match.index + match[0].length)).includes(second));
    return grouped || new RegExp(`\\b${first}\\s*::\\s*${second}\\b`).test(source);
  });
}
