//! What each agent sent, what was done with it, and what became of both: `transcripts/*.txt`.
//!
//! A section begins with `== name`, and each session in it with `= agent option=value …`, or with `+ beginning` of
//! `beginnings.txt`. `<` is received: a line of Claude Code (`<<` one that came abridged, with its length; `<end` the rest at its
//! end), a JSON-RPC message of Codex, an event of OpenCode or its response to a request. `!` is what the app does. Beneath each
//! stands what follows from it, and `-` where nothing does: events two spaces in, and behind `>` what is sent.
//!
//! `UPDATE_TRANSCRIPTS=1` writes what follows anew, to be reviewed. So what a new version of an agent says is only written down.

mod play;
mod show;

use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use play::Play;

/// How sessions come to where most tests need them.
const BEGINNINGS: &str = "beginnings";

/// Nobody reads a file while another test writes it.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn file(theme: &str) -> PathBuf {
    PathBuf::from(format!("{}/tests/agents/transcripts/{theme}.txt", env!("CARGO_MANIFEST_DIR")))
}

fn read(theme: &str) -> String {
    fs::read_to_string(file(theme)).unwrap().replace("\r\n", "\n")
}

/// The lines that are played; the others say what follows.
fn played(written: &str) -> Vec<&str> {
    let follows = |line: &str| line.starts_with("  ") || line.starts_with('>') || line == "-";
    written.lines().filter(|line| !follows(line)).collect()
}

/// Plays one line, and returns it with what follows.
fn take(play: &mut Option<Play>, line: &str, inputs: &Rc<str>) -> String {
    let mut text = format!("{line}\n");
    if let Some(session) = line.strip_prefix("= ") {
        *play = Some(Play::begin(session, Rc::clone(inputs)));
    } else if line.starts_with(['<', '!']) {
        text += &play.as_mut().unwrap_or_else(|| panic!("no session before {line}")).step(line);
    } else {
        let is_text = line.is_empty() || ["#", "+ ", "== "].iter().any(|sign| line.starts_with(sign));
        assert!(is_text, "means nothing: {line}");
    }
    text
}

/// A section of a theme with its name, and its place in the text.
fn section<'a>(text: &'a str, name: &str) -> (usize, &'a str) {
    let begins = |text: &str, at: usize| at == 0 || text[..at].ends_with('\n');
    let heading = format!("== {name}\n");
    let mut found = text.match_indices(&heading).filter(|(at, _)| begins(text, *at));
    let (from, _) = found.next().unwrap_or_else(|| panic!("no section {name}"));
    let rest = &text[from + heading.len()..];
    (from, &text[from..from + heading.len() + rest.find("\n== ").map_or(rest.len(), |end| end + 1)])
}

/// Plays a section, and compares what follows with what is written.
fn check(theme: &str, name: &str) {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let written = read(theme);
    let (_, written) = section(&written, name);
    let beginnings = read(BEGINNINGS);
    let inputs: Rc<str> = [played(written), played(&beginnings)].concat().join("\n").into();
    let mut play = None;
    let mut now = String::new();
    for line in played(written) {
        for line in
            line.strip_prefix("+ ").map(|name| played(section(&beginnings, name).1)).unwrap_or_default()
        {
            take(&mut play, line, &inputs);
        }
        now += &take(&mut play, line, &inputs);
    }
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        return update(theme, name, &now);
    }
    for (at, (now, written)) in now.lines().zip(written.lines()).enumerate() {
        assert!(now == written, "{theme}, {name}, line {}:\nnow     {now}\nwritten {written}", at + 1);
    }
    assert_eq!(now.lines().count(), written.lines().count(), "the lines of {theme}, {name}");
}

fn update(theme: &str, name: &str, now: &str) {
    let mut text = read(theme);
    let (from, written) = section(&text, name);
    let to = from + written.len();
    text.replace_range(from..to, now);
    fs::write(file(theme), text).unwrap();
}

/// Each section has a test, so that none is left out.
fn all_are_played(theme: &str, names: &[&str]) {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let text = read(theme);
    let written: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("== ")).collect();
    assert_eq!(written, names);
}

macro_rules! transcripts {
    ($($theme:ident { $(fn $section:ident();)* })*) => {$(
        mod $theme {
            $(
                #[test]
                fn $section() {
                    super::check(stringify!($theme), stringify!($section));
                }
            )*

            #[test]
            fn every_section_is_played() {
                super::all_are_played(stringify!($theme), &[$(stringify!($section)),*]);
            }
        }
    )*};
}

transcripts! {
    beginnings {
        fn codex_open();
        fn codex_in_turn();
        fn codex_with_a_skill();
        fn claude_that_takes_skipped_questions();
        fn claude_with_a_helper();
        fn opencode_working();
        fn opencode_2_working();
    }
    claude_config {
        fn case_113_the_mode_is_told_of_whenever_it_is_another_one_and_an_unknown_one_by_the_agents_name();
        fn the_model_is_what_the_agent_says_and_what_cannot_change_is_what_was_chosen();
        fn a_wish_for_another_mode_or_model_hears_what_the_agent_says();
        fn what_cannot_be_changed_while_it_runs_is_refused_without_asking_the_agent();
        fn chosen_rules_go_back_with_the_input_as_received();
        fn what_was_not_offered_cannot_be_decided();
        fn an_approved_plan_takes_what_was_shown_and_nothing_beside_it();
        fn a_plan_leads_to_bypass_only_where_the_session_was_started_with_it();
        fn a_plan_is_sent_back_in_words();
        fn a_question_that_is_not_shown_is_refused_with_a_reason_and_a_next_step();
        fn a_turn_costs_what_was_added_to_the_sum();
        fn a_resumed_session_that_the_agent_no_longer_has_is_told_of_and_ends_no_turn();
        fn a_renewed_request_for_an_answered_question_gets_the_same_answer_once();
        fn the_models_are_those_that_the_agent_lists_and_the_present_one_is_among_them();
    }
    claude_elicitations {
        fn case_111_a_form_becomes_questions_in_its_order_and_its_answers_are_the_values_of_the_form();
        fn case_141_the_bounds_of_a_form_hold_for_its_answers_and_its_default_is_not_sent_by_itself();
        fn case_111_a_form_that_is_not_filled_in_is_declined_or_canceled();
        fn case_111_a_page_to_open_asks_for_consent();
        fn case_111_a_page_that_has_done_its_part_ends_its_question();
        fn an_answered_page_stays_answered_when_it_has_done_its_part();
        fn a_form_that_cannot_be_shown_is_declined_and_said();
        fn a_canceled_form_is_withdrawn();
    }
    claude_helpers {
        fn case_107_a_helpers_request_outlives_the_turns_of_the_agent_and_is_answered();
        fn case_107_a_helpers_request_ends_with_the_helper_or_when_it_is_canceled();
        fn case_113_the_end_of_a_helper_says_which_call_began_it();
        fn a_helper_that_works_after_the_turn_begins_none();
        fn background_work_begins_once_and_ends_as_the_agent_says();
        fn a_subagent_within_the_turn_is_no_helper_until_it_is_moved_to_the_background();
        fn a_helper_is_stopped_alone_and_a_refusal_is_told();
        fn a_helper_that_the_agent_stops_with_an_interrupted_turn_is_told_apart();
        fn case_125_what_a_subagent_says_and_does_is_its_output();
        fn case_125_a_shells_output_is_in_the_file_that_the_agent_names();
        fn case_125_a_subagents_calls_say_whose_they_are();
        fn what_the_agent_or_a_hook_tells_the_user_is_told();
        fn the_model_that_goes_on_after_a_refusal_is_told_of_and_shown();
        fn a_refusal_to_start_is_told_in_place_of_a_turn();
    }
    claude_questions {
        fn case_01_the_answer_repeats_the_input_unchanged_and_is_keyed_by_the_full_texts();
        fn case_03_multi_select_is_read_from_camel_case_and_absent_means_single();
        fn a_type_is_read_where_one_is_named_and_options_make_it_a_choice();
        fn case_61_a_secret_with_options_stays_a_secret();
        fn words_a_confirmation_and_a_secret_reach_the_agent_as_they_are();
        fn case_04_a_lenient_form_is_shown();
        fn case_04_numbers_are_labels_and_no_options_mean_own_words();
        fn case_04_what_cannot_be_shown_is_refused_at_once_naming_the_field();
        fn case_05_a_long_header_is_kept_whole();
        fn case_06_equal_headers_are_independent();
        fn case_06_equal_texts_are_joined_under_their_key_and_this_is_said();
        fn case_06_of_two_equal_texts_the_unanswered_one_is_named();
        fn case_07_an_other_option_of_the_agent_is_not_an_option_of_ours_and_ids_keep_their_places();
        fn case_09_answers_that_came_with_the_question_pass_through_and_nobody_is_asked();
        fn case_10_ticks_and_own_words_reach_the_agent_together();
        fn a_question_left_out_is_said_to_be_unanswered_and_never_an_empty_text();
        fn without_the_capability_a_skipped_question_is_said_in_words_alone();
        fn a_note_and_the_preview_of_the_choice_travel_as_annotations();
        fn every_other_end_denies_in_words();
    }
    claude_retries {
        fn case_112_a_retry_is_told_with_its_reason();
        fn case_112_a_rejected_key_is_told_once_in_a_turn();
        fn case_112_the_text_of_an_abandoned_message_is_dropped();
        fn a_reset_of_the_conversation_leaves_a_mark();
        fn lines_that_say_nothing_to_a_user_are_known();
    }
    claude_rules {
        fn case_100_a_call_is_proposed_and_asked_for_or_left_to_the_agent();
        fn case_100_a_question_that_reaches_the_hook_is_let_through_at_once();
        fn a_hook_call_without_a_tool_is_answered_and_counted();
    }
    claude_stream {
        fn case_02_the_tool_use_of_a_question_makes_no_second_card_and_no_tool_entry();
        fn a_question_tool_that_never_asks_is_neither_a_question_nor_a_tool_call();
        fn pieces_are_live_and_finished_blocks_follow_whole();
        fn a_subagents_tools_are_told_of_and_its_words_are_not_the_agents_own();
        fn a_permission_is_asked_with_what_would_run_and_decided_with_the_input_unchanged();
        fn an_interrupted_question_is_withdrawn_and_the_turn_has_no_error();
        fn a_late_answer_to_a_withdrawn_question_is_not_encoded();
        fn an_answer_that_crosses_a_withdrawal_is_not_acknowledged();
        fn two_questions_at_once_are_answered_in_any_order_each_to_its_own_request();
        fn a_question_found_again_by_a_second_handshake_is_the_same_and_is_answered_to_the_newest_request();
        fn a_question_settled_elsewhere_is_withdrawn_by_its_result();
        fn bad_lines_are_counted_answered_where_somebody_waits_and_stop_nothing();
        fn a_line_that_is_too_long_and_no_json_is_counted();
        fn case_110_a_tool_result_that_is_too_large_ends_its_row();
        fn case_110_a_request_that_is_too_large_is_refused_in_words();
        fn the_last_line_counts_as_cut_only_if_it_is_not_whole();
        fn an_interrupt_that_is_not_said_to_be_one_hides_the_error_of_its_turn_alone();
        fn messages_and_requests_are_written_as_the_agent_expects_them();
        fn an_end_the_agent_does_not_wait_for_is_not_encoded();
        fn an_answer_that_could_not_be_written_can_be_encoded_again();
    }
    claude_usage {
        fn the_context_is_that_of_the_last_call_and_unknown_between_compacting_and_the_next_call();
        fn a_turn_of_a_resumed_session_costs_only_what_it_added_to_the_sum();
        fn only_calls_of_the_agent_itself_fill_its_context();
        fn the_context_stays_unknown_without_a_call_or_without_the_window_of_its_model();
        fn an_unusable_cost_is_left_out_and_the_tokens_stay();
        fn an_earlier_version_without_the_use_of_a_turn_is_read_from_its_sums();
        fn compacting_is_the_agents_own_command();
    }
    claude_warnings {
        fn case_138_what_the_program_says_stands_apart_from_what_its_model_says();
        fn case_139_a_call_that_the_program_refuses_itself_is_told_from_one_that_failed();
    }
    codex_approvals {
        fn case_66_every_decision_on_a_command_is_offered_and_arrives_as_it_was_made();
        fn a_command_is_shown_whole_with_its_folder_and_its_reason();
        fn a_connection_is_shown_with_its_host();
        fn case_66_a_change_of_files_shows_what_changes_and_takes_each_decision();
        fn changes_of_files_are_shown_whole();
        fn case_66_further_permissions_are_granted_as_they_were_asked_for_or_not_at_all();
        fn a_call_of_a_tool_of_a_server_is_a_permission_and_no_question();
        fn case_66_a_command_of_an_unknown_kind_is_refused_and_said();
        fn case_66_and_137_a_permission_request_of_another_protocol_is_refused();
        fn the_words_of_a_denial_are_a_message_that_the_turn_has_before_it_goes_on();
        fn only_what_was_offered_can_be_decided_and_only_once();
        fn a_rule_for_a_command_is_named_by_what_it_begins_with();
        fn case_139_a_command_that_the_server_refuses_itself_is_told_from_one_that_somebody_declined();
    }
    codex_questions {
        fn an_answer_is_the_uncut_label_or_the_users_words();
        fn each_question_has_its_answer_and_one_left_open_says_so();
        fn only_choices_can_be_wanted_and_an_option_of_a_secret_is_told_by_its_label();
        fn two_questions_with_one_id_are_told_apart_by_place_and_both_answers_are_sent();
        fn a_refusal_is_put_into_words_for_every_question();
        fn questions_that_are_off_are_refused_in_words();
        fn what_cannot_be_shown_is_refused_in_the_same_turn_and_names_the_field();
        fn an_answer_is_acknowledged_when_the_server_says_so_and_a_question_withdrawn_when_nobody_answered();
        fn an_answer_can_be_sent_again_until_it_is_acknowledged();
        fn a_form_becomes_a_question_and_its_answers_are_the_values_of_the_form();
        fn a_form_that_is_not_filled_in_is_declined_or_canceled();
        fn a_form_without_fields_asks_for_consent();
        fn a_form_that_cannot_be_shown_is_declined_and_said();
        fn case_111_a_page_to_open_asks_for_consent();
        fn case_111_a_number_is_sent_as_a_number();
        fn case_141_the_bounds_and_defaults_of_a_form_are_those_of_its_questions();
        fn case_141_space_around_an_address_or_a_day_is_not_sent();
        fn case_136_questions_that_do_not_block_are_asked_once_and_not_said_again();
        fn words_besides_the_questions_are_said();
        fn case_140_the_same_id_in_a_later_turn_is_another_question();
        fn questions_that_cannot_be_shown_are_said_and_named();
        fn a_question_that_is_turned_off_is_refused_in_words_although_nothing_waits();
    }
    codex_recordings {
        fn recorded_questions();
        fn recorded_command();
        fn recorded_patch();
        fn recorded_permissions();
        fn recorded_interrupt();
        fn recorded_plan();
        fn recorded_settings();
        fn recorded_resume();
        fn recorded_compact();
        fn recorded_failure();
        fn recorded_subagent();
    }
    codex_session {
        fn the_name_of_the_thread_is_the_title_of_the_session();
        fn a_session_is_started_with_what_was_chosen_and_the_rest_is_left_to_the_agent();
        fn a_session_is_resumed_under_the_agents_own_id_without_its_history();
        fn a_resumed_session_asks_again_although_the_server_remembers_otherwise();
        fn what_is_sent_before_the_session_is_open_waits_for_it_and_a_failed_start_is_tried_again();
        fn the_agent_introduces_itself_with_its_present_options();
        fn a_changed_option_is_answered_and_a_refusal_is_quoted();
        fn case_113_a_value_that_is_not_offered_keeps_the_servers_name();
        fn a_message_begins_a_turn_and_one_during_it_goes_into_it();
        fn images_travel_with_their_bytes_and_files_by_their_paths();
        fn a_turn_that_could_not_begin_ends_with_the_agents_words();
        fn an_interrupt_waits_until_the_turn_is_known_and_never_stops_a_later_one();
        fn a_turn_ends_with_what_it_used_and_an_interrupted_one_without_an_error();
        fn text_and_reasoning_stream_and_are_repeated_whole();
        fn case_126_an_image_in_a_result_is_told_as_one();
        fn an_item_of_any_kind_is_shown_with_its_end();
        fn a_subagents_tools_are_shown_and_its_turns_and_words_are_not_the_agents_own();
        fn case_107_what_a_subagent_asks_outlives_the_agents_turn_and_ends_with_its_own();
        fn case_112_each_retry_is_told_and_a_rejected_login_once();
        fn case_112_a_login_that_is_rejected_without_a_retry_is_told_at_the_end_of_the_turn();
        fn warnings_are_told_and_what_is_not_known_is_counted();
        fn a_proposed_plan_stays_in_the_transcript_waits_for_approval_and_the_next_turn_leaves_plan_mode();
        fn a_compacted_context_is_told_once();
        fn a_session_that_is_closed_stops_its_turn_and_answers_what_is_open_in_words();
        fn a_session_that_the_server_closed_is_opened_again_by_the_next_message();
    }
    commands {
        fn claude_code_lists_its_commands_in_the_handshake_and_again_when_they_change();
        fn codex_is_asked_for_what_its_terminal_does_for_a_command();
        fn a_skill_of_codex_goes_along_with_the_words_behind_its_name();
        fn any_other_message_to_codex_is_sent_as_it_is();
        fn codex_tells_of_its_commands_again_when_skills_change_and_without_them_when_they_can_not_be_read();
        fn what_codex_found_in_a_review_is_said_once();
        fn opencode_is_asked_for_a_command_it_knows();
        fn a_command_that_opencode_refuses_ends_its_turn_with_the_reason();
        fn claude_code_gets_a_command_as_it_is_typed();
    }
    not_understood {
        fn case_137_what_an_unknown_message_says_to_the_user_is_shown_with_a_mark();
        fn case_137_an_unknown_message_that_says_nothing_to_the_user_is_only_counted_or_shown_whole();
        fn case_137_a_subagents_question_of_an_unknown_form_is_shown_and_its_words_are_not();
    }
    opencode {
        fn the_title_of_the_session_is_told_once_and_a_placeholder_never();
        fn words_of_a_refusal_and_a_message_instead_of_an_answer_follow_the_end_of_the_turn();
        fn a_permission_for_a_tool_of_a_server_shows_the_input_of_its_call();
        fn a_permission_that_ended_before_its_call_was_read_is_not_shown();
        fn case_66_only_what_was_offered_can_be_decided();
        fn a_text_that_goes_on_after_a_question_is_said_to_its_end();
        fn an_event_that_arrives_twice_counts_once();
        fn case_70_after_a_reconnection_open_requests_are_read_anew_and_shown_once();
        fn in_a_silent_turn_open_requests_are_read_anew_at_heartbeats();
        fn in_a_silent_turn_an_end_that_was_not_told_is_noticed();
        fn a_turn_that_began_after_the_lists_were_read_is_not_ended_by_them();
        fn a_turn_that_ended_during_a_break_of_the_stream_is_caught_up();
        fn case_70_a_reply_to_a_request_that_is_gone_is_never_acknowledged();
        fn a_reply_counts_only_if_its_event_has_the_same_answers();
        fn a_reply_that_broke_on_its_way_is_sent_again_if_the_question_is_still_open();
        fn a_question_stays_open_if_the_list_of_open_ones_cannot_be_read();
        fn a_status_of_success_alone_acknowledges_nothing();
        fn a_session_that_the_server_does_not_know_is_said_and_nothing_is_sent();
        fn a_resumed_session_repeats_nothing_and_shows_what_still_waits();
        fn what_is_unknown_is_counted_and_an_unknown_part_is_shown();
        fn a_question_that_cannot_be_shown_is_rejected_and_the_agent_is_told_the_field();
        fn case_110_a_permission_that_is_too_large_is_refused_in_words_and_the_user_is_told();
        fn case_110_a_question_that_is_too_large_is_refused_in_words_after_the_turn();
        fn case_110_an_event_without_a_question_is_taken_however_long_it_was();
        fn case_139_a_call_that_a_rule_of_the_server_forbids_is_told_from_one_that_failed_or_the_user_rejected();
    }
    opencode2 {
        fn case_137_a_message_waits_until_its_model_is_listed();
        fn case_108_a_session_that_asks_does_not_start_where_an_agent_would_not_ask();
        fn case_108_a_resumed_session_asks_as_its_agents_do();
        fn case_137_a_form_of_2_x_is_a_question_and_its_execution_the_turn();
        fn case_137_a_form_that_somebody_else_answered_is_withdrawn();
        fn case_137_a_declined_form_is_cancelled_and_ends_the_turn();
        fn case_137_what_the_stream_of_2_x_lost_is_read_anew();
        fn case_137_a_route_that_is_answered_with_a_page_is_said_to_be_missing();
    }
    opencode_asking {
        fn case_124_a_session_begun_elsewhere_asks_before_changes_from_its_first_message_here();
        fn case_108_a_session_that_asks_bars_the_subagents_that_would_not_ask_before_it_begins();
        fn case_108_a_session_whose_subagents_ask_begins_at_once_and_one_without_a_list_has_none();
        fn case_108_a_bar_that_failed_is_tried_again_before_anything_is_sent();
    }
    opencode_recordings {
        fn questions_become_a_card_and_the_reply_is_the_labels_and_the_users_words();
        fn a_declined_question_ends_the_turn_and_the_user_learns_why();
        fn an_aborted_turn_closes_its_questions_and_a_reply_to_one_of_them_is_refused();
        fn permissions_are_shown_with_what_would_happen_and_decided_as_chosen();
        fn a_rejected_permission_closes_the_others_of_its_turn();
        fn several_requests_are_open_at_once();
        fn what_a_subagent_asks_and_does_belongs_to_its_session_and_its_end_is_not_the_turns();
        fn todos_are_the_plan_and_a_failed_tool_says_why();
        fn a_compaction_is_a_notice_and_its_summary_is_not_said();
        fn an_error_ends_the_turn_once_in_the_agents_words();
        fn a_message_into_a_running_turn_is_taken_up_and_the_turn_goes_on();
        fn case_137_a_question_is_answered_and_the_turn_ends_when_the_session_no_longer_works();
        fn case_137_a_declined_question_and_a_stop_end_the_turn();
        fn case_137_a_refusals_words_reach_the_model_as_a_message_that_is_not_the_users();
        fn case_137_a_message_that_the_server_drops_is_said_to_be_dropped();
        fn recorded_image();
    }
    outside_json {
        fn case_140_claude_code_is_understood_with_half_characters_and_numbers_out_of_range();
        fn case_140_a_request_of_claude_code_that_cant_be_read_whole_is_answered();
        fn case_140_a_response_of_claude_code_that_cant_be_read_counts_as_refused();
        fn case_140_claude_code_asks_again_under_the_tool_use_of_an_earlier_turn();
        fn case_140_two_questions_of_claude_code_with_one_tool_use_are_both_asked_and_answered();
        fn case_140_a_permission_of_claude_code_waits_on_when_another_call_of_its_tool_use_ends();
        fn case_140_codex_asks_again_under_the_id_of_an_answered_request();
        fn case_140_opencode_is_understood_with_half_characters_and_numbers_out_of_range();
        fn case_140_a_request_of_opencode_that_cant_be_read_whole_is_answered();
    }
}

#[test]
fn nothing_that_was_recorded_is_unknown() {
    for theme in ["codex_recordings", "opencode_recordings"] {
        assert!(!read(theme).contains("  InvalidInput"), "{theme}");
    }
}
