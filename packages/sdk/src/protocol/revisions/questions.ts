/**
 * What servers ask, for revisions that know less of it. Functions of the revision rather than members of it: a server that
 * asks nothing is made without them.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ElicitParams } from '../elicitation.ts'
import type { Revision } from '../revision.ts'
import type { CreateMessageParams } from '../sampling.ts'
import { createContentWriter } from './content-blocks.ts'
import { createDefinitionWriter } from './definitions.ts'
import { createElicitationWriter } from './elicitation-forms.ts'
import { toWire } from './omission.ts'
import { createSamplingWriter } from './sampling-messages.ts'
import { vocabularyOf } from './vocabulary.ts'

export function writeElicitParams(revision: Revision, params: ElicitParams): JsonObject {
  return toWire(createElicitationWriter(vocabularyOf(revision))(params))
}

export function writeCreateMessageParams(revision: Revision, params: CreateMessageParams): JsonObject {
  const vocabulary = vocabularyOf(revision)
  const content = createContentWriter(vocabulary)
  const { tool } = createDefinitionWriter(vocabulary, content)
  return toWire(createSamplingWriter(vocabulary, content, tool)(params))
}
