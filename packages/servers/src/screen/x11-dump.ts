/** Reads the window dump of X11 (`xwd`, version 7) into pixels: true colour, 24 or 32 bits deep, as every screen of today. */

import { ToolError } from '@portico/sdk/server'
import { toPng } from './png.ts'

const HEAD = 100

export function fromWindowDump(dump: Buffer): Buffer {
  if (dump.length < HEAD || dump.readUInt32BE(4) !== 7) throw unreadable()
  const field = (at: number): number => dump.readUInt32BE(at * 4)
  const [headSize, width, height, bits, line] = [field(0), field(4), field(5), field(11), field(12)]
  const isBigEndian = field(7) === 1
  const masks = [field(14), field(15), field(16)] as const
  const start = headSize + field(19) * 12
  const isPlain = bits === 32 && masks.every((mask) => [0xff0000, 0xff00, 0xff].includes(mask))
  if (!isPlain || line < width * 4 || dump.length < start + line * height || width * height > 100_000_000)
    throw unreadable()
  const places = masks.map((mask) => {
    const shift = mask === 0xff0000 ? 2 : mask === 0xff00 ? 1 : 0
    return isBigEndian ? 3 - shift : shift
  })
  const [red = 2, green = 1, blue = 0] = places
  const rgb = Buffer.allocUnsafe(width * height * 3)
  let to = 0
  for (let y = 0; y < height; y++) {
    for (let from = start + y * line, end = from + width * 4; from < end; from += 4) {
      rgb[to++] = dump[from + red] ?? 0
      rgb[to++] = dump[from + green] ?? 0
      rgb[to++] = dump[from + blue] ?? 0
    }
  }
  return toPng(width, height, rgb)
}

function unreadable(): ToolError {
  return new ToolError('The picture of this screen is of a kind that cannot be read here. Install maim or ImageMagick.')
}
