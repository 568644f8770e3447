/** One thing that the lab tries, as `run.ts` runs it; the files of cases make them. */

export interface Trial {
  readonly name: string
  /** Left out with `--short`. */
  readonly long?: boolean
  /** Why it cannot be tried on this machine; undefined if it can. */
  missing?(): string | undefined
  run(): Promise<void>
}
