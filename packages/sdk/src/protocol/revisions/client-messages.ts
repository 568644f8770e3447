/**
 * What clients say, for revisions that know less of it. Functions of the revision rather than members of it, as the
 * writers of what servers say are (`assembly.ts`): a server has no use for these and is made without them.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'
import { type ClientCapabilities, canAsk } from '../capabilities.ts'
import type { CompleteParams } from '../completion.ts'
import type { ElicitResult } from '../elicitation.ts'
import type { Revision } from '../revision.ts'
import type { ListRootsResult } from '../roots.ts'
import type { CreateMessageResult } from '../sampling.ts'
import { unknownCapabilities } from './capabilities.ts'
import { createContentWriter } from './content-blocks.ts'
import { toPlainAnswers } from './elicitation-forms.ts'
import { mapItems, omit, replace, toWire } from './omission.ts'
import { toObjectResults, toOneBlock } from './sampling-messages.ts'
import { vocabularyOf } from './vocabulary.ts'

export function writeClientCapabilities(revision: Revision, capabilities: ClientCapabilities): JsonObject {
  const vocabulary = vocabularyOf(revision)
  const unknown = [...unknownCapabilities(vocabulary), ...(vocabulary.elicitation ? [] : ['elicitation'])]
  let kept = omit(capabilities, unknown)
  if (kept.elicitation !== undefined && !vocabulary.richForms) {
    // `{}` means forms here, so a client that opens URLs alone has nothing to declare.
    kept = canAsk(kept, 'form')
      ? replace(kept, 'elicitation', omit(kept.elicitation, ['form', 'url']))
      : omit(kept, ['elicitation'])
  }
  if (kept.sampling !== undefined && !vocabulary.samplingTools) {
    kept = replace(kept, 'sampling', omit(kept.sampling, ['tools', 'context']))
  }
  if (kept.roots !== undefined && !vocabulary.rootsListChanged) {
    kept = replace(kept, 'roots', omit(kept.roots, ['listChanged']))
  }
  return toWire(kept)
}

export function writeCompleteParams(revision: Revision, params: CompleteParams): JsonObject {
  const { completionContext, metadata } = vocabularyOf(revision)
  const kept = completionContext ? params : omit(params, ['context'])
  return toWire(metadata ? kept : replace(kept, 'ref', omit(kept.ref, ['title'])))
}

export function writeElicitResult(revision: Revision, result: ElicitResult): JsonObject {
  const same = vocabularyOf(revision).richForms || result.content === undefined
  return toWire(same ? result : toPlainAnswers(result))
}

export function writeCreateMessageResult(revision: Revision, result: CreateMessageResult): JsonObject {
  const vocabulary = vocabularyOf(revision)
  if (vocabulary.anyStructuredContent) return toWire(result)
  return toWire(
    vocabulary.samplingArrays ? toObjectResults(result) : toOneBlock(result, createContentWriter(vocabulary)),
  )
}

export function writeListRootsResult(revision: Revision, result: ListRootsResult): JsonObject {
  if (vocabularyOf(revision).metadata) return toWire(result)
  const roots = mapItems(result.roots, (root) => omit(root, ['_meta']))
  return toWire(replace(result, 'roots', roots))
}
