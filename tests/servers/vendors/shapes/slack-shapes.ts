/**
 * What the local service of Slack's shape answers, held to the types that Slack publishes: `tsc` fails for a member that their
 * type does not have or has otherwise. `npm run servers -- slack` runs it once the package is there.
 */

import type {
  ChatPostMessageResponse,
  ConversationsHistoryResponse,
  ConversationsListResponse,
  ConversationsRepliesResponse,
  FilesInfoResponse,
  ReactionsAddResponse,
  SearchMessagesResponse,
  UsersListResponse,
} from '@slack/web-api'
import type { SLACK_ANSWERS } from '../../../support/slack-service.ts'

interface Published {
  'chat.postMessage': ChatPostMessageResponse
  'conversations.history': ConversationsHistoryResponse
  'conversations.list': ConversationsListResponse
  'conversations.replies': ConversationsRepliesResponse
  'files.info': FilesInfoResponse
  'reactions.add': ReactionsAddResponse
  'search.messages': SearchMessagesResponse
  'users.list': UsersListResponse
}

/** The names of members that are not as published; never where all are. */
type Strange<Ours, Theirs> = Ours extends undefined
  ? never
  : Ours extends readonly (infer One)[]
    ? NonNullable<Theirs> extends readonly (infer Other)[]
      ? Strange<One, Other>
      : 'a list'
    : Ours extends object
      ? {
          [Name in keyof Ours]-?: Name extends keyof NonNullable<Theirs>
            ? Strange<Ours[Name], NonNullable<Theirs>[Name]> extends never
              ? never
              : Name
            : Name
        }[keyof Ours]
      : Ours extends Theirs
        ? never
        : 'another kind'

type AllStrange = {
  [Name in keyof typeof SLACK_ANSWERS]: [Strange<ReturnType<(typeof SLACK_ANSWERS)[Name]>, Published[Name]>] extends [
    never,
  ]
    ? never
    : Name
}[keyof typeof SLACK_ANSWERS]

export const everyAnswerIsAsPublished: [AllStrange] extends [never] ? true : AllStrange = true

/** The check can fail: a member that nobody publishes is found, however deep it lies. */
export const aStrangerIsFound: Strange<{ channels: { id: string; colour: string }[] }, ConversationsListResponse> =
  'channels'
