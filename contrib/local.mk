# SPDX-License-Identifier: Apache-2.0
# What surrounds the program: units of systemd, a configuration to begin with, the Debian package.

contrib_subst = sed -e 's|@bindir[@]|$(bindir)|g' -e 's|@sysconfdir[@]|$(sysconfdir)|g' \
  -e 's|@localstatedir[@]|$(localstatedir)|g'
contrib_made = contrib/systemd/tocsind.service contrib/systemd/sysusers.conf \
  contrib/systemd/tmpfiles.conf contrib/etc/tocsin.conf

contrib/systemd/tocsind.service: contrib/systemd/tocsind.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib/systemd && $(contrib_subst) $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
contrib/systemd/sysusers.conf: contrib/systemd/sysusers.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib/systemd && $(contrib_subst) $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
contrib/systemd/tmpfiles.conf: contrib/systemd/tmpfiles.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib/systemd && $(contrib_subst) $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
contrib/etc/tocsin.conf: contrib/etc/tocsin.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib/etc && $(contrib_subst) $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@

CLEANFILES += $(contrib_made)
EXTRA_DIST += contrib/systemd/tocsind.service.in contrib/systemd/sysusers.conf.in \
  contrib/systemd/tmpfiles.conf.in contrib/etc/tocsin.conf.in
EXTRA_DIST += contrib/build-deb.sh contrib/debian

# A configuration to begin with is an example: what an administrator has in $(sysconfdir) is never touched.
examplesdir = $(docdir)/examples
nodist_examples_DATA = contrib/etc/tocsin.conf
# Webhooks and routes: to copy from.
dist_examples_DATA = examples/webhooks.conf examples/kafka.conf examples/bodies.conf examples/opsgenie.json
examplesrulesdir = $(examplesdir)/rules
dist_examplesrules_DATA = contrib/etc/rules/example.rule
# What watches tocsin: also examples, for Prometheus and Grafana.
examplesprometheusdir = $(examplesdir)/prometheus
dist_examplesprometheus_DATA = contrib/prometheus/tocsin.rules.yml contrib/prometheus/tocsin.rules.test.yml
examplesgrafanadir = $(examplesdir)/grafana
dist_examplesgrafana_DATA = contrib/grafana/tocsin.json
# The front and the reference, beside each other as they are here: links between them lead somewhere.
dist_doc_DATA = README.md
grammardir = $(docdir)/grammar
dist_grammar_DATA = $(grammar_chapters)

if SYSTEMD_UNITS
systemdsystemunit_DATA = contrib/systemd/tocsind.service
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(sysusersdir)' '$(DESTDIR)$(tmpfilesdir)'
	$(INSTALL_DATA) contrib/systemd/sysusers.conf '$(DESTDIR)$(sysusersdir)/tocsin.conf'
	$(INSTALL_DATA) contrib/systemd/tmpfiles.conf '$(DESTDIR)$(tmpfilesdir)/tocsin.conf'
uninstall-hook:
	rm -f '$(DESTDIR)$(sysusersdir)/tocsin.conf' '$(DESTDIR)$(tmpfilesdir)/tocsin.conf'
all-local: contrib/systemd/sysusers.conf contrib/systemd/tmpfiles.conf
endif

# The unit is checked by systemd itself, if it is there; the package is built and tried in a chroot.
TESTS += contrib/check-unit.sh contrib/check-install.sh
EXTRA_DIST += contrib/check-unit.sh contrib/check-install.sh contrib/check-package.sh
check-package:
	sh $(srcdir)/contrib/check-package.sh
.PHONY: check-package
