/** Text for a page, between tags or inside a quoted attribute: the one place that makes foreign words safe in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
