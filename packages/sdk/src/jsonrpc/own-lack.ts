/** Tells what this process has run out of from what its peers do: the one is never held against the other. */

const LACKS = ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL', 'EAGAIN'] as const

/** What a process, its user or its machine can lack, as the operating system names it. */
export type OwnLack = (typeof LACKS)[number]

const MAX_CAUSES = 8

/** What was lacking here, if an error is due to that; only the operating system's own word counts. */
export function ownLackOf(error: unknown): OwnLack | undefined {
  let one = error
  for (let depth = 0; depth < MAX_CAUSES && one instanceof Error; depth++) {
    const { code, syscall, cause, errors } = one as Error & { code?: unknown; syscall?: unknown; errors?: unknown[] }
    const lack = syscall === undefined ? undefined : LACKS.find((name) => name === code)
    if (lack !== undefined) return lack
    one = cause ?? errors?.[0]
  }
  return undefined
}
