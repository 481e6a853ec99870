import { describe, expect, it } from 'vitest';
import { isClear } from './clear-match.js';
import type { Document } from './document.js';
import type { Ranked } from './ranking.js';

const ranked = (parts: Partial<Ranked>): Ranked => ({
  document: {} as Document,
  exact: 0,
  score: 1,
  fit: 1,
  answered: 0b1,
  action: 'NONE',
  ...parts,
});

describe('a match is clear', () => {
  it('when it is the only one and answers enough', () => {
    expect(isClear(ranked({ fit: 0.3 }), [])).toBe(true);
    expect(isClear(ranked({ fit: 0.29 }), [])).toBe(false);
  });

  it('when it leads by score and by fit', () => {
    const best = ranked({ score: 1.5, fit: 0.6 });
    expect(isClear(best, [ranked({ score: 1, fit: 0.5 })])).toBe(true);
    expect(isClear(best, [ranked({ score: 1.01, fit: 0.5 })])).toBe(false);
    expect(isClear(best, [ranked({ score: 1, fit: 0.51 })])).toBe(false);
  });

  it('unless another that fits half as well answers a word that it does not', () => {
    const best = ranked({ score: 3, fit: 0.6, answered: 0b011 });
    expect(isClear(best, [ranked({ fit: 0.3, answered: 0b100 })])).toBe(false);
    expect(isClear(best, [ranked({ fit: 0.29, answered: 0b100 })])).toBe(true);
    expect(isClear(best, [ranked({ fit: 0.3, answered: 0b010 })])).toBe(true);
  });

  it('only with every action that was named, and then with most of the rest', () => {
    expect(isClear(ranked({ fit: 0.9, action: 'MISSED' }), [])).toBe(false);
    expect(isClear(ranked({ fit: 0.59, action: 'ANSWERED' }), [])).toBe(false);
    expect(isClear(ranked({ fit: 0.6, action: 'ANSWERED' }), [])).toBe(true);
  });

  it('when the text is its name, before aliases, and an alias before what is only like it', () => {
    const name = ranked({ exact: 2 });
    const alias = ranked({ exact: 1 });
    expect(isClear(name, [alias, ranked({})])).toBe(true);
    expect(isClear(alias, [ranked({ score: 5 })])).toBe(true);
    expect(isClear(alias, [alias])).toBe(false);
  });
});
