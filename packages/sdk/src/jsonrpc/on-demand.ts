/**
 * Parts that only some programs need are loaded when they are needed, so that a bundle of the others does without them
 * (`docs/decisions/loaded-when-needed.md`).
 */

/** Every part that can be loaded. */
const parts: OnDemand<object>[] = []

/** The module, or the promise of it while it is loaded. */
type OnDemand<Module> = () => Module | Promise<Module>

/**
 * Gives how to get a module that `load` imports: a promise until it is there, then the module itself. Whoever waits goes
 * on in the order of asking, before anybody who finds it loaded. A failure is for those who waited; the next one tries again.
 */
export function onDemand<Module extends object>(load: () => Promise<Module>): OnDemand<Module> {
  let loaded: Module | undefined
  let loading: Promise<Module> | undefined
  const part = (): Module | Promise<Module> => {
    if (loaded !== undefined) return loaded
    if (loading === undefined) {
      loading = load()
      // The first to be told: those who wait come right behind it, with nothing in between.
      loading.then(
        (module) => {
          loaded = module
        },
        () => {
          loading = undefined
        },
      )
    }
    return loading
  }
  parts.push(part)
  return part
}

/** Loads whatever could be loaded later: for tests, in which nothing else than the test should take time. */
export async function loadAll(): Promise<void> {
  await Promise.all(parts.map((part) => part()))
}
