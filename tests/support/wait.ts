/** Waiting for what another process does in its own time, and no longer than it may take. */

const LOOK_MS = 10

/** Rejects when `work` takes longer than `limitMs`; leaves no timer behind. */
export function withLimit<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing within ${limitMs} ms`)), limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Asks again until `test` holds. */
export async function until(test: () => Promise<boolean> | boolean, what: string, limitMs = 8_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
