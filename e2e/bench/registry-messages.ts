/** Orders to the process of the registry's bench that plays the agents. */
export type RegistryOrder =
  | { readonly order: 'connect'; readonly url: string; readonly token: string; readonly connections: number }
  | {
      /** Every connection registers so many instances of its agent, all at once. */
      readonly order: 'join';
      readonly instances: number;
      /** Whether they beat from then on. */
      readonly beats: boolean;
    };
