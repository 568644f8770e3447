/**
 * For how long and where an answer holds, in the words that every surface shows beside it: the page, the terminal. A yes
 * that is remembered without saying for what would be asked for again in the next folder, and nobody would know why.
 */

import type { Effect } from '../policy/effect.ts'
import type { Question, Remember } from './question.ts'

/** What an answer holds for, by how long it is remembered; goes after "holds". */
export type MemoryWords = { readonly [remember in Remember]: string }

/**
 * Says what each way to remember an answer means for this question; undefined for questions whose answer is never
 * remembered.
 *
 * @example
 * ```ts
 * import { createInbox, memoryWords } from '@portico/host/consent'
 *
 * const inbox = await createInbox()
 * for (const question of inbox.pending()) console.log(`Always holds ${memoryWords(question)?.always}`)
 * ```
 */
export function memoryWords({ body, workspace }: Pick<Question, 'body' | 'workspace'>): MemoryWords | undefined {
  if (body.kind !== 'approval') return undefined
  const { effect } = body
  return {
    once: effect.kind === 'connect' ? ONE_RUN : 'for this one time',
    session: 'until this session ends',
    workspace: `while you work in this folder: ${workspace ?? ''}`.replace(/: $/, ''),
    always: alwaysWords(effect),
  }
}

/** What is lost is connected again without a question, so that a yes to a program is a yes to its restarts. */
const ONE_RUN = 'until it is stopped: if it crashes or is lost, it is connected again without asking'

function alwaysWords(effect: Effect): string {
  switch (effect.kind) {
    case 'connect': {
      const what = effect.local === true ? 'for exactly this command' : 'for exactly this address'
      return effect.folder === undefined ? what : `in this folder: ${effect.folder}, ${what}`
    }
    case 'call':
      return 'in every folder, until the tool changes'
    case 'prompt':
      return 'in every folder, until the prompt changes'
    default:
      return 'in every folder, until you take it back'
  }
}
