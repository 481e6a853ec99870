import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import { stageCounts } from './decision.js';
import { explain } from './explain.js';
import { recordDecision } from './recorded.js';
import { replayDecision } from './replay.js';
import { seededRandom } from './seeded-random.js';
import { expected } from './testing-oracle.js';
import { NOW, STRATEGIES, World } from './testing-world.js';

/** Random tables of few and of many instances, with random requests; each choice takes effect before the next. */
const SIZES = [1, 3, 12, 40, 90, 150, 500];
const WORLDS = 4;
const REQUESTS = 12;

describe.each(STRATEGIES)('$name', (strategy) => {
  const worlds = SIZES.flatMap((size) => Array.from({ length: WORLDS }, (_, seed) => ({ size, seed: seed + 1 })));

  it.each(worlds)('among $size instances, world $seed', ({ size, seed }) => {
    const world = new World(seed * 1_000 + size, size, strategy);
    const { table } = world;
    for (let count = 0; count < REQUESTS; count++) {
      const request = world.request();
      const lots = seed * 100 + count;
      const decision = decide(table, request, NOW, seededRandom(lots));
      const chosen = decision.outcome === 'OK' ? decision.choice.instance.ref : undefined;

      // Nobody is chosen who may not be, and nobody is missed who may.
      const possible = expected(world, request);
      if ('among' in possible && strategy.name !== 'PRIORITY_RATIO') expect(possible.among).toContain(chosen);
      else if ('among' in possible && chosen !== undefined) expect(possible.among).toContain(chosen);
      else if ('stage' in possible) {
        expect(decision).toMatchObject({ stage: possible.stage });
        if (decision.outcome === 'OK') throw new Error(`${chosen} must not be chosen`);
        const fell = decision.reasons.reduce((sum, reason) => sum + reason.count, 0);
        expect([decision.stage, fell]).toEqual([possible.stage, possible.fell]);
      }

      // An explanation is the decision.
      const explained = explain(table, request, NOW, seededRandom(lots), 't.1');
      expect([explained.outcome, explained.chosen]).toEqual([decision.outcome, chosen]);
      expect(explained.stages).toEqual(stageCounts(decision));
      expect(explained.candidates.filter(({ reason }) => reason === 'chosen').map(({ instance }) => instance)).toEqual(
        chosen === undefined ? [] : [chosen],
      );
      expect(explained.candidates).toHaveLength(decision.matched);

      // A record, gone through JSON, gives the same decision again, unless it says that it can't.
      const recorded = recordDecision(table, request, NOW, lots, decision);
      const replayed = replayDecision(JSON.parse(JSON.stringify(recorded)), table.policies);
      if (replayed.unknown.length === 0 || decision.matched <= 256) {
        expect([replayed.outcome, replayed.chosen]).toEqual([decision.outcome, chosen]);
        expect(replayed.binding).toEqual(explained.binding);
      } else expect(recorded.looked).toBeGreaterThan(256);

      table.applied(decision);
      if (decision.outcome === 'OK') decision.choice.instance.live.inFlight++;
      world.change(world.pick(world.instances));
    }
  });
});
