'use client';

import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { BrandMark } from '@/features/shell/brand-mark';
import { afterSignIn } from '@/graphql/session';
import { PasswordForm } from './password-form';
import { SetPasswordForm } from './set-password-form';
import classes from './sign-in.module.css';

/** Sign-in: by a link whose token sets a password, or by that password. */
export function SignIn() {
  const next = afterSignIn(useSearchParams().get('next'));
  const [link, setLink] = useState<{ readonly token: string | undefined }>();

  useEffect(() => {
    const read = () => {
      // The token travels in the fragment, which no server and no log ever sees; it leaves the address at once.
      const token = new URLSearchParams(window.location.hash.slice(1)).get('token') ?? undefined;
      if (token === undefined) {
        setLink((old) => old ?? { token });
        return;
      }
      setLink({ token });
      window.history.replaceState(null, '', window.location.pathname + window.location.search);
    };
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);

  // A full load, so that everything starts with the new session.
  const done = () => window.location.assign(next);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <BrandMark size={26} />
          Agent-Reach
        </div>
        {link !== undefined &&
          (link.token === undefined ? (
            <PasswordForm onDone={done} />
          ) : (
            <SetPasswordForm token={link.token} onDone={done} onGiveUp={() => setLink({ token: undefined })} />
          ))}
      </div>
    </main>
  );
}
