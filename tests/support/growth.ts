/** Whether the work on a text grows with its length and not with its square: no measure of how fast a machine is. */

const LENGTH = 16_000
const TIMES = 4
/** Between four times the work and sixteen times. */
const MOST = 8
const FLOOR_MS = 100
const LOOKS = 3

/** A hostile text of about so many characters. */
export type Hostile = (length: number) => string

/** Of one piece again and again, between others. */
export function repeated(piece: string, before = '', after = ''): Hostile {
  return (length) => before + piece.repeat(Math.ceil(length / piece.length)) + after
}

/** Others may use the machine meanwhile: one look of several is enough to see that the work is little. */
export function growsInStep(work: (text: string) => unknown, hostile: Hostile): boolean {
  return Array.from({ length: LOOKS }).some(
    () => timeOf(work, hostile(LENGTH * TIMES)) <= MOST * timeOf(work, hostile(LENGTH)) + FLOOR_MS,
  )
}

function timeOf(work: (text: string) => unknown, text: string): number {
  const start = performance.now()
  try {
    work(text)
  } catch {
    // A refusal is an answer too.
  }
  return performance.now() - start
}
