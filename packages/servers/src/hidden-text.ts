/**
 * Text from elsewhere on its way to a model or a person: characters that cannot be seen are spelled out, so that it cannot
 * look other than it is (sec-125). Needs no package, because worker threads use it too.
 */

/** Control, direction, tag and zero-width characters, as `\u{202E}`: text must not look other than it is. */
export function spellHidden(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`)
}

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu
