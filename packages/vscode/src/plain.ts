/**
 * Words of servers on their way to the screen. The host has written out what acts on a terminal; here it is what acts in this
 * editor: links in notifications, icons in labels, and lines that push the rest away.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Tabs and new lines stay. */
export function toPlain(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(HIDDEN, (found) => `⟦U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟧`)
}

/** One line for a label: no icon is made of `$(name)`. */
export function toLabel(text: string, length = 120): string {
  const line = toPlain(text).replace(/\s+/g, ' ').trim().replace(/\$\(/g, '$ (')
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** One line for a notification, in which `[words](address)` would be a link. */
export function toNotice(text: string, length = 300): string {
  return toLabel(text, length).replace(/\]\s*\(/g, '] · (')
}
