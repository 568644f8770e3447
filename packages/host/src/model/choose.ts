/**
 * Which model answers a server's sampling request: hints first, in the order the server gave them, then its priorities,
 * within what the server may use (2025-11-25, sampling, "Model Preferences").
 */

import type { CreateMessageParams } from '@portico/sdk/client'
import type { ModelView } from './models.ts'

/** The best fitting model first; empty when the server may use none. */
export function chooseModels(
  models: readonly ModelView[],
  preferences: CreateMessageParams['modelPreferences'],
  allowed: readonly string[],
): ModelView[] {
  const usable = models.filter((view) => view.usable && (allowed.length === 0 || allowed.includes(view.id)))
  const hints = (preferences?.hints ?? []).flatMap((hint) =>
    typeof hint?.name === 'string' ? [hint.name.toLowerCase()] : [],
  )
  const rank = (view: ModelView): number => {
    const names = [view.id.toLowerCase(), view.config.model.toLowerCase(), view.config.provider]
    const at = hints.findIndex((hint) => hint !== '' && names.some((name) => name.includes(hint)))
    return at < 0 ? hints.length : at
  }
  const weight = (view: ModelView): number =>
    share(preferences?.costPriority) * (view.config.cost ?? 0.5) +
    share(preferences?.speedPriority) * (view.config.speed ?? 0.5) +
    share(preferences?.intelligencePriority) * (view.config.intelligence ?? 0.5)
  // Sorting is stable: models that fit equally well stay in the order of the configuration.
  return [...usable].sort((a, b) => rank(a) - rank(b) || weight(b) - weight(a))
}

function share(priority: unknown): number {
  return typeof priority === 'number' && priority >= 0 && priority <= 1 ? priority : 0
}
