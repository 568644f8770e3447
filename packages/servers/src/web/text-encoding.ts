/** From the bytes of a page to its text, by what the answer, the bytes' own mark or the page's head says. */

export function decodePage(bytes: Uint8Array, contentType: string): string {
  const declared = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]
  const label = markOf(bytes) ?? declared ?? metaCharset(bytes) ?? 'utf-8'
  return decoder(label).decode(bytes)
}

function markOf([a, b]: Uint8Array): string | undefined {
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return a === 0xff && b === 0xfe ? 'utf-16le' : undefined
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4_096))
  return /<meta[^<>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1]
}

function decoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
