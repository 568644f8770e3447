/** What the inside of a question's card is given, whatever its kind. */

import type { Answer, Question } from '../app/data/question-store.ts'

export interface BodyProps<K extends Question['body']['kind']> {
  readonly question: Question
  readonly body: Extract<Question['body'], { readonly kind: K }>
  readonly answer: (answer: Answer) => Promise<boolean>
}
