'use client';

import { Loader, Modal } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ExplainInput, RouteExplanation } from '@/features/explain/explain.operations';
import { asFailure, type RequestFailure } from '@/graphql/failure';
import { request } from '@/graphql/request';
import { FailureNotice } from '@/ui/failure-notice';
import { say } from '@/ui/say';
import type { DraftPlace } from '../draft/draft-input';
import { testName } from '../draft/test-name';
import type { Draft } from '../draft/use-draft';
import { buildTest } from './build-test';
import { SITUATION } from './situation.operations';
import { TestDialog } from './test-dialog';
import { agentOf, type Situation } from './test-table';

/** Agents that are asked about at most; beyond them a test would be too long to read. */
const MAX_AGENTS = 20;

/** Makes a test of an explained request, with the instances as they are now, and lets it be changed before it is kept. */
export function SaveAsTest({
  question,
  explanation,
  place,
  draft,
  onClose,
}: {
  question: ExplainInput;
  explanation: RouteExplanation;
  place: DraftPlace;
  draft: Draft;
  onClose: () => void;
}) {
  const [situations, setSituations] = useState<readonly Situation[]>();
  const [failure, setFailure] = useState<RequestFailure>();
  useEffect(() => {
    const controller = new AbortController();
    readSituations(question, explanation, controller.signal)
      .then(setSituations)
      .catch((error: unknown) => !controller.signal.aborted && setFailure(asFailure(error)));
    return () => controller.abort();
  }, [question, explanation]);

  if (situations === undefined) {
    return (
      <Modal opened onClose={onClose} title="New test">
        {failure === undefined ? (
          <Loader size="sm" aria-label="Reading the instances" />
        ) : (
          <FailureNotice failure={failure} />
        )}
      </Modal>
    );
  }
  const policy = { namespace: place.namespace, name: draft.name, content: draft.check.content };
  return (
    <TestDialog
      title="New test"
      note="The request, the instances as they are now, and what the draft decides. Change what is beside the point, and keep what must hold."
      start={buildTest(question, explanation, situations, policy)}
      policy={policy}
      taken={draft.tests.map(testName)}
      saveLabel="Add the test"
      onSave={(test) => {
        draft.setTests([...draft.tests, test]);
        say('The test is part of the draft; save the policy to keep it');
      }}
      onClose={onClose}
    />
  );
}

async function readSituations(
  { caller, target }: ExplainInput,
  { candidates }: RouteExplanation,
  signal: AbortSignal,
): Promise<readonly Situation[]> {
  const agents = [...new Set(candidates.map(({ instance }) => agentOf(instance)))].slice(0, MAX_AGENTS);
  const answers = await Promise.all(
    agents.map((ref) => request(SITUATION, { ref, target: ref, caller, capability: target.capability ?? '*' }, signal)),
  );
  return answers.flatMap(({ agent, checkPermission }) =>
    agent === null ? [] : [{ agent, allowed: checkPermission.allowed }],
  );
}
