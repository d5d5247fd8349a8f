import ArgumentParser

/// The Bash completion script: the argument parser's script, with functions that support names with special characters.
enum BashCompletion {
  /// Returns the script if `message` is the argument parser's script, otherwise `message`.
  static func complete(_ message: String) -> String {
    guard message.hasPrefix("#!/bin/bash") else { return message }
    return message + "\n\n" + wholeWords
  }

  /// Bash splits words at characters such as `:` and `(`. Its functions see `phone:home` as three words and replace the
  /// last.
  private static let wholeWords = #"""
    # Names contain characters at which Bash splits words, as in "phone:com.example.news/Headlines(topic=sport)". The
    # functions below pass whole words to those above, and return the suffix after the last such character to Bash.

    __marquee_add_completions() {
        local completion
        while IFS='' read -r completion; do
            COMPREPLY+=("${completion}")
        done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        [[ "${1}" != -W ]] || __marquee_offers_names=true
    }

    # Joins split words in COMP_WORDS, and sets __marquee_typed to the current one up to the cursor.
    __marquee_join_words() {
        local rest="${COMP_LINE}" word space previous=''
        local -a joined=()
        local -i index start=0 current=0
        for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
            word="${COMP_WORDS[index]}"
            space="${rest%%[![:space:]]*}"
            if [[ "${index}" -gt 0 && -z "${space}" ]] &&
                [[ "${previous}" = *[:=@\(] || "${word}" = [:=@\(]* ]]; then
                joined[${#joined[@]}-1]+="${word}"
            else
                [[ "${index}" -gt "${COMP_CWORD}" ]] || start=$((${#COMP_LINE} - ${#rest} + ${#space}))
                joined+=("${word}")
            fi
            # An empty word consumes nothing of the line.
            [[ -z "${word}" ]] || rest="${rest:${#space}}"
            rest="${rest#"${word}"}"
            [[ "${index}" -gt "${COMP_CWORD}" ]] || current=$((${#joined[@]} - 1))
            previous="${word}"
        done
        __marquee_typed=''
        if [[ -n "${joined[current]}" && "${COMP_POINT}" -gt "${start}" ]]; then
            __marquee_typed="${COMP_LINE:start:COMP_POINT - start}"
        fi
        COMP_WORDS=("${joined[@]}")
        COMP_CWORD="${current}"
    }

    # Sets __marquee_kept to the part of the current word that Bash keeps, and __marquee_quote to the open quote.
    __marquee_find_kept() {
        local character meaning=''
        local -i index
        __marquee_kept='' __marquee_quote=''
        for ((index = 0; index < ${#__marquee_typed}; index++)); do
            character="${__marquee_typed:index:1}"
            if [[ "${character}" = \\ && "${__marquee_quote}" != \' ]]; then
                index+=1
                meaning+="${__marquee_typed:index:1}"
            elif [[ "${character}" = "${__marquee_quote}" ]]; then
                __marquee_quote='' __marquee_kept="${meaning}"
            elif [[ -n "${__marquee_quote}" ]]; then
                meaning+="${character}"
            elif [[ "${character}" = [\"\'] ]]; then
                __marquee_quote="${character}" __marquee_kept="${meaning}"
            else
                meaning+="${character}"
                [[ "${COMP_WORDBREAKS}" != *"${character}"* ]] || __marquee_kept="${meaning}"
            fi
        done
    }

    # Quotes __marquee_name as required by the open quote.
    __marquee_quote_name() {
        local special=$'\\ !"#$&\'()*;<>?[]^`{|}~' character
        local -i index
        case "${__marquee_quote}" in
        \') __marquee_name="${__marquee_name//\'/"'\\''"}" && return ;;
        \") special='\"$`' ;;
        esac
        for ((index = 0; index < ${#special}; index++)); do
            character="${special:index:1}"
            __marquee_name="${__marquee_name//"${character}"/"\\${character}"}"
        done
    }

    __marquee_whole_words() {
        local __marquee_typed __marquee_kept __marquee_quote __marquee_name __marquee_offers_names=false
        local -a COMP_WORDS=("${COMP_WORDS[@]}")
        local -i COMP_CWORD="${COMP_CWORD}" index
        __marquee_join_words
        _marquee "${1}" "${__marquee_typed}" "${COMP_WORDS[COMP_CWORD > 0 ? COMP_CWORD - 1 : 0]}"
        trap - RETURN
        __marquee_find_kept
        # Bash itself quotes file names, and everything if it is too old for "compopt".
        if "${__marquee_offers_names}"; then compopt +o filenames 2>/dev/null || __marquee_offers_names=false; fi
        for index in "${!COMPREPLY[@]}"; do
            __marquee_name="${COMPREPLY[index]#"${__marquee_kept}"}"
            if "${__marquee_offers_names}" && [[ "${__marquee_name}" = *[!A-Za-z0-9_./:=@%+,-]* ]]; then
                __marquee_quote_name
            fi
            COMPREPLY[index]="${__marquee_name}"
        done
    }

    complete -o filenames -F __marquee_whole_words marquee
    """#
}
