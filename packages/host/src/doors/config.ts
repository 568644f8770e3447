/** `@portico/host/config`: servers from every program's files, with their variables, secrets, trust and supply chain. */

export { type ConfigInput, createInputs, type InputSource, type InputsOptions } from '../config/command/inputs.ts'
export { type CommandFinding, inspectCommand } from '../config/command/inspect-command.ts'
export { keepFolder } from '../config/command/keep-folder.ts'
export { type ConcreteTarget, type ResolveContext, resolveTarget } from '../config/command/resolve-target.ts'
export { makeVisible, showCommand, withoutSecrets } from '../config/command/show-command.ts'
export { type ConnectableTarget, createTargetResolver } from '../config/command/target-resolver.ts'
export { type ConfigChange, compareServers } from '../config/config-change.ts'
export { defineServer } from '../config/define-server.ts'
export { type FindOptions, findConfigFiles } from '../config/find-config-files.ts'
export { CONFIG_LIMITS, formatProblem } from '../config/formats/config-text.ts'
export {
  type EditedFile,
  type EditOptions,
  removeFromFile,
  writeIntoFile,
  writeSection,
} from '../config/formats/edit-file.ts'
export { type ExportedServers, exportServers } from '../config/formats/export-servers.ts'
export { type ConfigForm, detectForm } from '../config/formats/form.ts'
export { readServerLine, type ServerLine, shellOnlyWord, splitShellWords } from '../config/formats/server-line.ts'
export {
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
  type UntrustedFile,
  wholePath,
} from '../config/load-config.ts'
export { type ConfigFile, configFiles, configFolder, type PlaceQuery, stateFolder } from '../config/places.ts'
export { type ConfigExtras, type ReadConfig, type ReadConfigOptions, readConfigText } from '../config/read-config.ts'
export {
  type ConfigPlace,
  type ConfigProblem,
  DEFAULT_SETTINGS,
  type ItemOverride,
  type ServerConfig,
  type ServerSettings,
  type ServerTarget,
} from '../config/server-config.ts'
export { LOG_LEVELS } from '../config/settings.ts'
export {
  DEFAULT_REGISTRY,
  type NpmRegistry,
  type NpmRegistryOptions,
  npmRegistryOf,
} from '../config/trust/npm-registry.ts'
export { type PackageReference, packageOf } from '../config/trust/package-reference.ts'
export { type ResolvedPackage, type ResolvePackageOptions, resolvePackage } from '../config/trust/resolve-package.ts'
export {
  createSecretStore,
  firstSecret,
  type SecretSource,
  type SecretStore,
  type SecretStoreOptions,
  secretsFromEnvironment,
} from '../config/trust/secret-store.ts'
export { readSecretVariable } from '../config/trust/secret-variable.ts'
export {
  createTrustStore,
  type TrustedFile,
  type TrustStore,
  type TrustStoreOptions,
} from '../config/trust/trust-store.ts'
export {
  createVersionLedger,
  type LedgerEntry,
  type VersionCheck,
  type VersionLedger,
  type VersionLedgerOptions,
} from '../config/trust/version-ledger.ts'
export { type ConfigReload, type ConfigWatch, watchConfig } from '../config/watch-config.ts'
export type { WatchFilesOptions } from '../config/watch-files.ts'
