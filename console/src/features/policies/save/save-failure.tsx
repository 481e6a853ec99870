import { Alert, Button, Text } from '@mantine/core';
import type { RequestFailure } from '@/graphql/failure';
import { FailureNotice } from '@/ui/failure-notice';
import type { PolicyDetail } from '../policies.operations';
import { theirsOf } from './conflict';

/** Why a change of a policy was refused; when somebody else was faster, the way to what is there now. */
export function SaveFailure({
  failure,
  policy,
  onLook,
}: {
  failure: RequestFailure;
  /** As it was read. */
  policy: PolicyDetail;
  /** Goes on from what is there now. */
  onLook: (theirs: PolicyDetail) => void;
}) {
  const theirs = failure.code === 'CONFLICT' ? theirsOf(failure.current, policy) : undefined;
  if (theirs === undefined) return <FailureNotice failure={failure} />;
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      title={`${theirs.author} saved version ${theirs.version} meanwhile`}
      my="sm"
    >
      <Text size="sm" mb="xs">
        Nothing was done: you had version {policy.version} before you.
      </Text>
      <Button size="xs" variant="default" onClick={() => onLook(theirs)}>
        Go on from version {theirs.version}
      </Button>
    </Alert>
  );
}
