/** `@portico/host/model`: models of any provider, the loop that calls tools for them, and sampling for servers. */

export { Budget, type BudgetLimits, DEFAULT_BUDGET, type Usage } from '../model/budget.ts'
export {
  type CallView,
  type ContextPiece,
  Conversation,
  type ConversationOptions,
  type SavedConversation,
  type TurnEvent,
} from '../model/conversation.ts'
export type { DocumentReader, MediaFitOptions, MediaNotice } from '../model/fit-media.ts'
export { MEDIA_KINDS, type MediaKind } from '../model/media-kinds.ts'
export { type ModelConfig, type ModelProblem, PROVIDERS, type ProviderName, readModels } from '../model/model-config.ts'
export type { ArrivedResult, ModelToolCall, ModelToolResult, ModelTools } from '../model/model-tools.ts'
export {
  Models,
  type ModelsOptions,
  type ModelView,
  type NamesAtOptions,
  namesAt,
  OLLAMA_URL,
} from '../model/models.ts'
export { redactSecrets, type SafetyFilter } from '../model/safety.ts'
export { createScriptedModel, type Script, type ScriptedReply, type ScriptedRequest } from '../model/script.ts'
export { type ScriptedProvider, startScriptedProvider } from '../model/script-server.ts'
export type { OfferedTool } from '../model/step.ts'
