-- Contents are stored with every default filled in; these fields are new, and what a content says of them itself stays.
UPDATE "policy_versions"
   SET "content" = "content"
                || jsonb_build_object('breaker', '{"closeAfterProbes": null, "closeSuccessRate": 1}'::jsonb || ("content" -> 'breaker'));
