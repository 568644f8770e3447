/** A question as it goes to the page: with the words for what its answers hold for. */

import { memoryWords, type Question } from '@portico/host/consent'
import type { ShownQuestion } from './api-types/api.ts'

export function toShown(question: Question): ShownQuestion {
  const memory = memoryWords(question)
  return memory === undefined ? question : { ...question, memory }
}
