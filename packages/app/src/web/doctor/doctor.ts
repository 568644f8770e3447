/** The connection doctor: goes from the machine to the server, step by step, and says what is wrong and what to do. */

import type { DoctorCheck } from '../api-types/api.ts'
import { ADDRESS_EXAMINATIONS } from './address-checks.ts'
import { type Examination, type ExaminedServer, failed, ok } from './checks.ts'
import { PROGRAM_EXAMINATIONS } from './program-checks.ts'
import { PROTOCOL_EXAMINATIONS } from './protocol-checks.ts'

export async function examine(examined: ExaminedServer): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = []
  for (const look of examinationsFor(examined)) {
    examined.signal.throwIfAborted()
    try {
      const found = await look(examined)
      // One check, or several.
      checks.push(...(Array.isArray(found) ? (found as readonly DoctorCheck[]) : [found as DoctorCheck]))
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      checks.push(failed('Doctor', `A check failed itself: ${words.slice(0, 200)}`))
    }
  }
  return checks
}

function examinationsFor({ config }: ExaminedServer): readonly Examination[] {
  const { kind } = config.target
  if (kind === 'stdio') return [...PROGRAM_EXAMINATIONS, ...PROTOCOL_EXAMINATIONS]
  if (kind === 'in-process') return [async () => ok('Program', 'It runs in this process'), ...PROTOCOL_EXAMINATIONS]
  return [...ADDRESS_EXAMINATIONS, ...PROTOCOL_EXAMINATIONS]
}
