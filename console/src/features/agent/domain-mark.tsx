import type { Domain } from '@/graphql/types';
import { Mark, type Shape, type Tone } from '@/ui/mark';

interface Words {
  readonly tone: Tone;
  readonly shape: Shape;
  readonly word: string;
  readonly effect: string;
}

export const DOMAINS: readonly Domain[] = ['PRODUCTION', 'CANARY', 'STAGING'];

export const DOMAIN_WORDS: Record<Domain, Words> = {
  PRODUCTION: { tone: 'good', shape: 'disc', word: 'Production', effect: 'the regular calls' },
  CANARY: {
    tone: 'warn',
    shape: 'triangle',
    word: 'Canary',
    effect: 'the calls of canary agents, and the share that a policy or the namespace gives them',
  },
  STAGING: { tone: 'idle', shape: 'ring', word: 'Staging', effect: 'the calls of staging agents alone' },
};

/** Which traffic a version gets. */
export function DomainMark({ domain }: { domain: Domain }) {
  const { tone, shape, word } = DOMAIN_WORDS[domain];
  return (
    <Mark tone={tone} shape={shape}>
      {word}
    </Mark>
  );
}
