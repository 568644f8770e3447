/** `inbox.*` and `grants.*`: questions that wait for a person, and answers that are remembered. */

import { describeGrant, readAnswer } from '@portico/host/consent'
import { Refused } from '../http/failure.ts'
import { object, ParamsError, readParams, text } from '../http/params.ts'
import { toShown } from '../shown-question.ts'
import type { HandlersOf, WorkbenchServices } from '../workbench-services.ts'

export function inboxHandlers({ host }: WorkbenchServices): HandlersOf<'inbox.'> & HandlersOf<'grants.'> {
  return {
    'inbox.list': () => ({ questions: host.inbox.pending().map(toShown) }),
    'inbox.answer': (params) => {
      const { id, answer } = readParams(params, { id: text, answer: object })
      const read = readAnswer(answer)
      if (typeof read === 'string') throw new ParamsError(`The answer cannot be used: ${read}`)
      const receipt = host.inbox.answer(id, { by: 'workbench', ...read })
      if (receipt === 'accepted') return {}
      throw receipt === 'unknown'
        ? new Refused(404, { code: 'unknown-question', message: 'There is no such question' })
        : new Refused(409, { code: 'already-settled', message: 'The question has been settled already' })
    },
    'grants.list': () => ({
      grants: host.grants.list().map((grant) => ({
        id: grant.id,
        outcome: grant.action,
        words: describeGrant(grant),
        remember: grant.remember,
        at: grant.at,
      })),
    }),
    'grants.revoke': async (params) => {
      const known = await host.grants.revoke(readParams(params, { id: text }).id)
      if (!known) throw new Refused(404, { code: 'unknown-grant', message: 'Nothing of that kind is remembered' })
      return {}
    },
  }
}
