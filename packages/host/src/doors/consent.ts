/** `@portico/host/consent`: what a person is asked, where questions wait, and which answers are remembered. */

export { readAnswer } from '../consent/answer-text.ts'
export { type Clock, systemClock } from '../consent/clock.ts'
export { describeGrant, type Grant, type KnownDefinition } from '../consent/grant.ts'
export { createGrants, type Grants, type GrantsOptions } from '../consent/grants.ts'
export {
  type AnswerReceipt,
  type AskOptions,
  createInbox,
  type Inbox,
  type InboxEvent,
  type InboxOptions,
} from '../consent/inbox.ts'
export { type MemoryWords, memoryWords } from '../consent/memory-words.ts'
export type { Answer, Breadth, NewQuestion, Question, QuestionBody, Remember } from '../consent/question.ts'
export { INBOX_LIMITS, type InboxLimits } from '../consent/question-bounds.ts'
export { inspectUrl, type UrlInspection } from '../consent/url-inspection.ts'
