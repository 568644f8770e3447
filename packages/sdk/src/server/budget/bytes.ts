/** How many bytes a text takes on its way. */

const encoder = new TextEncoder()

export function bytesOf(text: string): number {
  return encoder.encode(text).length
}
