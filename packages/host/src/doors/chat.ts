/** `@portico/host/chat`: a host in a team chat. One engine, and thin adapters for the chats. */

export type {
  ChatAdapter,
  ChatButton,
  ChatChanged,
  ChatField,
  ChatFile,
  ChatForm,
  ChatMessage,
  ChatPerson,
  ChatPiece,
  ChatPressed,
  ChatSaid,
  ChatSink,
  ChatSubmitted,
  ChatThread,
  ChatUpload,
  FormProblems,
} from '../chat/engine/adapter.ts'
export { type ChatEngine, type ChatEngineOptions, createChatEngine } from '../chat/engine/engine.ts'
export type { PersonalHostWish } from '../chat/engine/people.ts'
export {
  CHAT_LIMITS,
  type ChannelBudget,
  type ChannelSettings,
  type ChatLimits,
  type ChatSettings,
} from '../chat/engine/settings.ts'
export { type ChatRequestsOptions, serveChatRequests } from '../chat/http/serve-requests.ts'
export { examineSlack, type SlackExamination } from '../chat/slack/examine-slack.ts'
export { createSlackAdapter, type SlackAdapter, type SlackOptions } from '../chat/slack/slack-adapter.ts'
export { createWebhookAdapter, type WebhookAdapter, type WebhookOptions } from '../chat/webhook/webhook-adapter.ts'
export { checkWebhook, signWebhook, type WebhookHeaders } from '../chat/webhook/webhook-signature.ts'
