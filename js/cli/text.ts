/**
 * Task text is untrusted: a title may hold escape sequences that move the cursor, recolour the
 * screen or set its title, and marks that turn the order of what is read around. Everything that
 * is printed for people goes through {@link plain}, everything for programs through {@link toJson}.
 */

/** Control characters, line separators, marks of direction, halves of surrogate pairs. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/gu;

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escape(character: string): string {
  const code = character.codePointAt(0) as number;
  return names[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

/** The text on one line, with everything that a terminal would obey made visible. */
export function plain(text: string): string {
  return text.replace(unsafe, escape);
}

/** The lines of a text, each made {@link plain}; tabs become blanks. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/u).map((line) => plain(line.replaceAll("\t", "    ")));
}

/** JSON on one line. What a terminal would obey is escaped, which changes nothing of the data. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) =>
    `\\u${hex(character.charCodeAt(0), 4)}`,
  );
}
