/** What a lab tries, one trial after the other, and how it is told: the files of cases make the trials. */

export interface Trial {
  readonly name: string
  /** Left out with `--short`. */
  readonly long?: boolean
  /** Why it cannot be tried on this machine; undefined if it can. */
  missing?(): string | undefined
  run(): Promise<void>
}

/**
 * Runs the trials that the words of the command line choose: all of them, or those whose names hold one of the words.
 * Resolves with the exit code, 1 if a trial failed or none was chosen.
 */
export async function runTrials(trials: readonly Trial[], words = process.argv.slice(2)): Promise<number> {
  const wanted = words.filter((word) => !word.startsWith('--'))
  const short = words.includes('--short')
  let failed = 0
  let ran = 0
  let skipped = 0
  for (const trial of trials) {
    if (wanted.length > 0 && !wanted.some((word) => trial.name.includes(word))) continue
    if (short && trial.long === true) continue
    const missing = trial.missing?.()
    if (missing !== undefined) {
      skipped++
      console.log(`skipped ${trial.name}: ${missing}`)
      continue
    }
    ran++
    try {
      await trial.run()
      console.log(`ok      ${trial.name}`)
    } catch (error) {
      failed++
      console.log(`FAILED  ${trial.name}`)
      console.error(error)
    }
  }
  console.log(`\n${ran - failed} of ${ran} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
  return failed === 0 && ran > 0 ? 0 : 1
}
