/** A value that was read, or why it cannot be used. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** One setting: how it is named, read, limited and documented. The documented table is generated from these. */
export interface SettingDefinition<T> {
  /** Name of the environment variable. */
  readonly env: string;
  /** What holds without the setting, as text that `parse` takes; undefined: none. */
  readonly fallback: string | undefined;
  /** How the default is documented when `fallback` is not the whole truth. */
  readonly fallbackNote?: string;
  /** The allowed range or form, for people. */
  readonly allowed: string;
  /** What it does, and what raising or lowering it costs. */
  readonly meaning: string;
  /** A secret's value appears in no message. */
  readonly secret?: boolean;
  readonly parse: (text: string) => Parsed<T>;
}

/** The type that a definition reads. */
export type SettingValue<D> = D extends { readonly parse: (text: string) => Parsed<infer T> } ? T : never;
