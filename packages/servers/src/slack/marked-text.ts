/**
 * The text of Slack's messages. What comes has names in place of ids, and links with their addresses in sight; what goes is
 * text and nothing else: it can mention nobody and hide no link.
 */

/** Names of people and channels by their ids, as far as they are known. */
export interface Names {
  person(id: string): string
  channel(id: string): string
}

/** Text as a model reads it. */
export function fromSlack(marked: string, names: Names): string {
  const shown = marked.replace(/<([^<>]{1,3000})>/g, (_whole, inner: string) => readMark(inner, names))
  return shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

function readMark(inner: string, { person, channel }: Names): string {
  const [target = '', label] = inner.split('|', 2)
  if (target.startsWith('@')) return `@${label ?? person(target.slice(1))}`
  if (target.startsWith('#')) return `#${label || channel(target.slice(1))}`
  if (target.startsWith('!')) return `@${label ?? target.slice(1).split('^', 1)[0]}`
  // Where a link leads is never hidden behind what it says.
  return label === undefined || label === target ? target : `${label} (${target})`
}

/** Text that Slack shows as it is: its three signs are spelled out, so that no mention, link or command comes of it. */
export function toSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
