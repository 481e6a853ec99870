'use client';

import { useState } from 'react';
import { asFailure, type RequestFailure } from '@/graphql/failure';

/** Runs a sign-in request once at a time. After success it stays busy: the page is about to be left. */
export function useSubmit(send: () => Promise<void>, onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<RequestFailure>();
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await send();
      onDone();
    } catch (error) {
      setFailure(asFailure(error));
      setBusy(false);
    }
  };
  return { busy, failure, submit };
}
