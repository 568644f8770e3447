/** What is in a zip file, by name. Enough for the packages of extensions. */

import { inflateRawSync } from 'node:zlib'

export function readZip(file: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>()
  const end = file.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((field) => file.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ]
    const local = file.readUInt32LE(at + 42)
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    const packed = file.subarray(from, from + file.readUInt32LE(at + 20))
    const bytes = file.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
    found.set(file.toString('utf8', at + 46, at + 46 + name), bytes)
    at += 46 + name + extra + comment
  }
  return found
}
