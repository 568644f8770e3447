/** Watches how much a connection brings for one statement: a single value can be a gigabyte, and drivers read it whole. */

const LOOK_EVERY_MS = 25

/** Calls `stop` once when more than `maxBytes` came; the returned function ends the watch. */
export function watchBytes(stream: { readonly bytesRead: number }, maxBytes: number, stop: () => void): () => void {
  const start = stream.bytesRead
  const timer = setInterval(() => {
    if (stream.bytesRead - start <= maxBytes) return
    clearInterval(timer)
    stop()
  }, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
