/** `@portico/host/config`: servers from every program's files, with their variables, secrets, trust and supply chain. */

export { type ConfigChange, compareServers } from '../config/config-change.ts'
export { CONFIG_LIMITS, formatProblem } from '../config/config-text.ts'
export { defineServer } from '../config/define-server.ts'
export { type EditedFile, type EditOptions, removeFromFile, writeIntoFile, writeSection } from '../config/edit-file.ts'
export { type ExportedServers, exportServers } from '../config/export-servers.ts'
export { type FindOptions, findConfigFiles } from '../config/find-config-files.ts'
export { type ConfigForm, detectForm } from '../config/form.ts'
export { type ConfigInput, createInputs, type InputSource, type InputsOptions } from '../config/inputs.ts'
export { type CommandFinding, inspectCommand } from '../config/inspect-command.ts'
export {
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
  type UntrustedFile,
  wholePath,
} from '../config/load-config.ts'
export { DEFAULT_REGISTRY, type NpmRegistryOptions, npmRegistryOf } from '../config/npm-registry.ts'
export { type PackageReference, packageOf } from '../config/package-reference.ts'
export { type ConfigFile, configFiles, configFolder, type PlaceQuery, stateFolder } from '../config/places.ts'
export { type ConfigExtras, type ReadConfig, type ReadConfigOptions, readConfigText } from '../config/read-config.ts'
export { type ResolvedPackage, type ResolvePackageOptions, resolvePackage } from '../config/resolve-package.ts'
export { type ConcreteTarget, type ResolveContext, resolveTarget } from '../config/resolve-target.ts'
export {
  createSecretStore,
  firstSecret,
  type SecretSource,
  type SecretStore,
  type SecretStoreOptions,
  secretsFromEnvironment,
} from '../config/secret-store.ts'
export {
  type ConfigPlace,
  type ConfigProblem,
  DEFAULT_SETTINGS,
  type ItemOverride,
  type ServerConfig,
  type ServerSettings,
  type ServerTarget,
} from '../config/server-config.ts'
export { readServerLine, type ServerLine, shellOnlyWord, splitShellWords } from '../config/server-line.ts'
export { LOG_LEVELS } from '../config/settings.ts'
export { makeVisible, showCommand, withoutSecrets } from '../config/show-command.ts'
export { type ConnectableTarget, createTargetResolver } from '../config/target-resolver.ts'
export { createTrustStore, type TrustedFile, type TrustStore, type TrustStoreOptions } from '../config/trust-store.ts'
export {
  createVersionLedger,
  type LedgerEntry,
  type LedgerVerdict,
  type VersionLedger,
  type VersionLedgerOptions,
} from '../config/version-ledger.ts'
export { type ConfigNews, type ConfigWatch, watchConfig } from '../config/watch-config.ts'
export type { WatchFilesOptions } from '../config/watch-files.ts'
