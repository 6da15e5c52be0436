/**
 * How many columns of a terminal a text takes. Terminals draw East Asian and emoji characters two
 * columns wide and combining marks none, so neither `length` nor a count of characters aligns.
 */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Printable ASCII, one column each: most titles, and the quick way. */
const plainAscii = /^[\x20-\x7e]*$/;

/** Sequences that fonts draw as one picture: flags, keycaps, and what an emoji selector or a joiner makes one. */
const emoji =
  /^\p{Regional_Indicator}{2}$|\p{Emoji}\ufe0f|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{Extended_Pictographic}\u200d/u;

/** No column of their own: marks on a letter, joiners and selectors, the later parts of a Hangul syllable. */
const zero = /^[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7fb]$/u;

/** `Wide` and `Fullwidth` of Unicode's East Asian Width (UAX #11); half a flag stands as a letter. */
const wide =
  /^(?!\p{Regional_Indicator})[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Yi}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\u4dff\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f26f}\u{20000}-\u{3fffd}]$/u;

/** Columns of one grapheme cluster. */
function graphemeWidth(cluster: string): number {
  if (emoji.test(cluster)) return 2;
  let columns = 0;
  for (const character of cluster) {
    if (!zero.test(character)) columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}

/** Columns of a text without control characters. */
export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment);
  return columns;
}

/** The text cut to so many columns, with `…` at the end when something is missing; never cuts a character in two. */
export function fit(text: string, columns: number): string {
  if (text.length <= columns && plainAscii.test(text)) return text;
  let used = 0;
  let kept = "";
  let tail: string | undefined;
  for (const { segment } of graphemes.segment(text)) {
    const width = graphemeWidth(segment);
    // Where the ellipsis would go, in case the rest does not fit.
    if (tail === undefined && used + width > columns - 1) tail = `${kept}…`;
    if (used + width > columns) return tail ?? "…";
    kept += segment;
    used += width;
  }
  return kept;
}
