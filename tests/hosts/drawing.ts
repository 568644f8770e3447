/** Plain drawings for the guides: boxes and lines of text, as SVG without fonts or styles of its own. */

import { writeFile } from 'node:fs/promises'

interface TextLook {
  readonly size?: number
  readonly fill?: string
  readonly bold?: boolean
  readonly mono?: boolean
}

export class Drawing {
  readonly #parts: string[] = []
  readonly #width: number

  constructor(width: number) {
    this.#width = width
  }

  box(at: readonly [x: number, y: number], size: readonly [width: number, height: number], fill: string): void {
    const [[x, y], [width, height]] = [at, size]
    this.#parts.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}"/>`)
  }

  text(
    x: number,
    y: number,
    words: string,
    { size = 14, fill = '#d6d9e0', bold = false, mono = false }: TextLook = {},
  ): void {
    const family = mono ? 'ui-monospace, Menlo, Consolas, monospace' : 'system-ui, sans-serif'
    const weight = bold ? ' font-weight="600"' : ''
    this.#parts.push(
      `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}"${weight} fill="${fill}" xml:space="preserve">${toXml(words)}</text>`,
    )
  }

  /** A row of buttons; the first stands out. */
  buttons(x: number, y: number, labels: readonly string[]): void {
    let at = x
    for (const [index, label] of labels.entries()) {
      const width = label.length * 8 + 24
      this.box([at, y], [width, 28], index === 0 ? '#2f6feb' : '#3a3f4b')
      this.text(at + 12, y + 19, label, { fill: '#ffffff' })
      at += width + 8
    }
  }

  toSvg(height: number): string {
    const size = `viewBox="0 0 ${this.#width} ${height}" width="${this.#width}" height="${height}"`
    const paper = '<rect width="100%" height="100%" rx="8" fill="#16181d"/>'
    return [`<svg xmlns="http://www.w3.org/2000/svg" ${size}>`, paper, ...this.#parts, '</svg>', ''].join('\n')
  }
}

/** With `PORTICO_PICTURES=1`, the pictures of the guides are made anew. */
export async function keepDrawing(name: string, draw: () => string): Promise<void> {
  if (process.env.PORTICO_PICTURES !== '1') return
  await writeFile(new URL(`../../docs/screenshots/${name}.svg`, import.meta.url), draw())
}

/** Lines of at most so many characters; what is longer goes on in the next. */
export function wrap(text: string, length: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = []
    let rest = line
    while (rest.length > length) {
      const space = rest.lastIndexOf(' ', length)
      const cut = space > length / 2 ? space : length
      lines.push(rest.slice(0, cut))
      rest = rest.slice(cut).trimStart()
    }
    return [...lines, rest]
  })
}

function toXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
