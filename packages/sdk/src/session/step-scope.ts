/**
 * Knows from which step of a handler the running code was called, so that a step that waits for itself, or asks the
 * client, is told so and does not wait for ever. Where the runtime cannot follow code across an `await`, only what a step
 * does before its first one is known.
 */

interface StepScope {
  /** Whose step it is. */
  readonly owner: object
  readonly name: string
  readonly outer: StepScope | undefined
}

interface Storage {
  run<T>(scope: StepScope, action: () => T): T
  getStore(): StepScope | undefined
  disable(): void
}

let storage: Storage | undefined | null = null
let running = 0
let current: StepScope | undefined

/** Runs a step's action where `stepOf` sees it. */
export async function withinStep<T>(owner: object, name: string, action: () => T | Promise<T>): Promise<T> {
  if (storage === null) storage = openStorage()
  const scope: StepScope = { owner, name, outer: scopeNow() }
  if (storage === undefined) return actAtOnce(scope, action)
  running++
  try {
    return await storage.run(scope, action)
  } finally {
    // To be followed makes every promise of the process dearer, so it ends with the last step.
    if (--running === 0) storage.disable()
  }
}

/** Whether the code that asks was called from a step of `owner`: of that name, or of any. */
export function stepOf(owner: object, name?: string): string | undefined {
  for (let scope = scopeNow(); scope !== undefined; scope = scope.outer) {
    if (scope.owner === owner && (name === undefined || scope.name === name)) return scope.name
  }
  return undefined
}

function scopeNow(): StepScope | undefined {
  return storage === undefined || storage === null ? current : storage.getStore()
}

function actAtOnce<T>(scope: StepScope, action: () => T): T {
  const before = current
  current = scope
  try {
    return action()
  } finally {
    current = before
  }
}

/** Node's storage, by the one way to it that bundlers for other runtimes do not stumble over. */
function openStorage(): Storage | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
  const hooks = process?.getBuiltinModule?.('node:async_hooks') as { AsyncLocalStorage: new () => Storage } | undefined
  return hooks && new hooks.AsyncLocalStorage()
}
