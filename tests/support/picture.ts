/** A screen of text as a picture for the guide: plain SVG, no fonts of its own, every character where the terminal has it. */

const WIDTH = 8.4
const HEIGHT = 17

export function toPicture(screen: string): string {
  const lines = screen.trimEnd().split('\n')
  const columns = Math.max(...lines.map((line) => [...line].length), 40)
  const width = Math.ceil(columns * WIDTH + 24)
  const height = lines.length * HEIGHT + 24
  const rows = lines.map((line, at) => {
    const y = 12 + (at + 1) * HEIGHT - 4
    return line.trim() === '' ? '' : `<text x="12" y="${y}" xml:space="preserve">${toXml(line)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<rect width="100%" height="100%" rx="8" fill="#16181d"/>',
    '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#d6d9e0">',
    ...rows.filter((row) => row !== ''),
    '</g></svg>',
    '',
  ].join('\n')
}

function toXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
